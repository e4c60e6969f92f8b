# memd with its own Postgres, JetStream and embedding model. With DB_URL and
# NATS_URL set, as in docker-compose.yml, only the model is used.

FROM golang:1.26-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY setup setup
COPY Makefile ./
RUN MEMD_CACHE_DIR=/share/memd make setup
COPY . .
ARG VERSION=v0.2.0-dev
RUN make build VERSION=${VERSION}

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 # initdb insists on a user with a name.
 && useradd --system --uid 10001 --create-home --home-dir /var/lib/memd --shell /usr/sbin/nologin memd
COPY --from=build /share/memd /usr/local/share/memd
COPY --from=build /src/third_party /usr/local/share/doc/memd/third_party
COPY --from=build /src/bin/memd /usr/local/bin/memd
USER memd
ENV MEMD_DATA_DIR=/var/lib/memd
VOLUME /var/lib/memd
# The address is not loopback, so MEMD_API_KEYS must be set.
ENV MEMD_LISTEN=0.0.0.0:7411
EXPOSE 7411
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["memd", "health"]
ENTRYPOINT ["memd"]
CMD ["serve"]
