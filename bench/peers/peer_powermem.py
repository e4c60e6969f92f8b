"""PowerMem as its documentation has it on Postgres, with OpenAI's interface for both models."""
import copy
import hashlib
import logging

from powermem import Memory

logging.disable(logging.CRITICAL)


class Peer:
    def __init__(self, settings):
        models = {"api_key": "stub", "openai_base_url": settings["models"]}
        self.memory = Memory({
            "vector_store": {"provider": "pgvector", "config": {
                "connection_string": settings["postgres"], "collection_name": "memories", "embedding_model_dims": settings["dimensions"],
                # Of no effect beside the string, and wanted.
                "user": "-", "password": "-", "host": "-", "port": 5432}},
            "llm": {"provider": "openai", "config": {"model": "stub", **models}},
            "embedder": {"provider": "openai", "config": {"model": "stub", "embedding_dims": settings["dimensions"], **models}},
        })

    def fill(self, user, texts):
        """Stores memories just as add without inference does, many at a time."""
        store = self.memory.storage.vector_store
        first = self.memory.add([{"role": "user", "content": texts[0]}], user_id=user, infer=False)["results"][0]["id"]
        as_stored = store.get(first).payload
        payloads = []
        for text in texts[1:]:
            payload = copy.deepcopy(as_stored)
            payload.update(data=text, fulltext_content=text, hash=hashlib.md5(text.encode()).hexdigest())
            payloads.append(payload)
        if set(as_stored) != set(payloads[0]):
            raise ValueError(f"a memory is stored with {sorted(as_stored)}")
        store.insert(self.memory.embedding.embed_batch(texts[1:], "add"), payloads)
        return len(texts)

    def add(self, user, text, infer):
        return len(self.memory.add([{"role": "user", "content": text}], user_id=user, infer=infer)["results"])

    def search(self, user, query, limit):
        return len(self.memory.search(query, user_id=user, limit=limit)["results"])
