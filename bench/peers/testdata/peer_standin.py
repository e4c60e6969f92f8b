"""Stands in for a peer, with what Python has: embeds and asks by HTTP, stores in a list."""
import json
import urllib.request


class Peer:
    def __init__(self, settings):
        self.models = settings["models"]
        self.memories = []
        print("what a library prints")

    def _ask(self, path, **body):
        request = urllib.request.Request(self.models + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def _embed(self, texts):
        return [item["embedding"] for item in self._ask("/embeddings", model="m", input=texts)["data"]]

    def fill(self, user, texts):
        self.memories += [(user, text, vector) for text, vector in zip(texts, self._embed(texts))]
        return len(texts)

    def add(self, user, text, infer):
        facts = [text]
        if infer:
            asked = [{"role": "system", "content": "You are a Personal Information Organizer. Extract."},
                     {"role": "user", "content": f"Input:\nuser: {text}\n"}]
            answer = self._ask("/chat/completions", model="m", messages=asked)
            facts = json.loads(answer["choices"][0]["message"]["content"])["facts"]
        return self.fill(user, facts) if facts else 0

    def search(self, user, query, limit):
        [wanted] = self._embed([query])
        near = sorted((-sum(a * b for a, b in zip(wanted, vector)), text) for whose, text, vector in self.memories if whose == user)
        return len(near[:limit])
