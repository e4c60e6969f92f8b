"""mem0 as its documentation has it on Postgres, with OpenAI's interface for both models."""
import copy
import hashlib
import logging
import os
import uuid

from mem0 import Memory
from mem0.utils.lemmatization import lemmatize_for_bm25

logging.disable(logging.CRITICAL)


class Peer:
    def __init__(self, settings):
        models = {"api_key": "stub", "openai_base_url": settings["models"]}
        self.memory = Memory.from_config({
            "vector_store": {"provider": "pgvector", "config": {
                "connection_string": settings["postgres"], "collection_name": "memories", "embedding_model_dims": settings["dimensions"]}},
            "llm": {"provider": "openai", "config": {"model": "stub", **models}},
            "embedder": {"provider": "openai", "config": {"model": "stub", "embedding_dims": settings["dimensions"], **models}},
            "history_db_path": os.path.join(settings["folder"], "history.db"),
        })

    def fill(self, user, texts):
        """Stores memories just as add without inference does, many at a time."""
        store = self.memory.vector_store
        first = self.memory.add([{"role": "user", "content": texts[0]}], user_id=user, infer=False)["results"][0]["id"]
        as_stored = store.get(vector_id=first).payload
        payloads = []
        for text in texts[1:]:
            payload = copy.deepcopy(as_stored)
            payload.update(data=text, hash=hashlib.md5(text.encode()).hexdigest(), text_lemmatized=lemmatize_for_bm25(text))
            payloads.append(payload)
        if set(as_stored) != set(payloads[0]):
            raise ValueError(f"a memory is stored with {sorted(as_stored)}")
        store.insert(self.memory.embedding_model.embed_batch(texts[1:], "add"), payloads, [str(uuid.uuid4()) for _ in payloads])
        return len(texts)

    def add(self, user, text, infer):
        return len(self.memory.add([{"role": "user", "content": text}], user_id=user, infer=infer)["results"])

    def search(self, user, query, limit):
        return len(self.memory.search(query, filters={"user_id": user}, top_k=limit)["results"])
