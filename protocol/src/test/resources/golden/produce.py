"""Produces the golden records with librdkafka, and writes down beside them what it produced.

usage: produce.py BOOTSTRAP_SERVERS FOLDER

Every record becomes a line of FOLDER/NAME.tsv, with these fields, - where there is none and an empty field where there
are no bytes:

    offset  timestamp in ms  committed or aborted  key in hex  length of the value  CRC-32 of the value in hex
    header key in hex=header value in hex, and so on, separated by commas
"""
import random
import socket
import sys
import time
import zlib

from confluent_kafka import KafkaException, Producer, libversion
from confluent_kafka.admin import AdminClient, NewTopic

BASE_TIMESTAMP_MS = 1_700_000_000_000
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]


def hex_or_null(data):
    return "-" if data is None else data.hex()


def noise(rng, length):
    return bytes(rng.getrandbits(8) for _ in range(length))


def small_records(rng):
    """What a record may hold, each in its plainest form."""
    yield None, None, []
    yield None, b"", []
    yield b"", None, []
    yield b"", b"", [("", b"")]
    yield b"key", b"value", [("name", b"first"), ("other", None), ("name", b"second"), ("name", b"")]
    yield "\u00e4\u20ac".encode(), b"value", [("\u00e4\u20ac", b"\x00\xff")]
    yield None, b"x" * 23, []
    for i in range(20):
        key = None if i % 3 == 0 else noise(rng, rng.randrange(20))
        headers = [("h%d" % (i % 2), noise(rng, i)) for _ in range(i % 4)]
        yield key, noise(rng, i * i) if i % 2 else b"lorem ipsum " * i, headers


def batches(rng, codec):
    """Lists of records, each list to be one batch."""
    yield list(small_records(rng))
    yield [(None, b"single " * 20, [])]
    if codec == "none":
        # None is stored as it is, so the large ones would only make a large file.
        yield [(b"noise", noise(rng, 3_000), [])]
        return
    # Longer than a block of any codec (lz4 and snappy 64 KiB, zstd 128 KiB), with a part that cannot be compressed.
    yield [(b"large", b"all work and no play makes jack a dull boy\n" * 6_000, [])]
    yield [(b"mixed", b"\x00" * 70_000 + noise(rng, 4_000) + b"tail " * 20_000, [("size", b"174000")])]
    yield [(b"%d" % i, b'{"id":%d,"name":"record %d","tags":["a","b"]}' % (i, i), []) for i in range(100)]
    yield list(small_records(rng))


class Golden:
    def __init__(self, bootstrap_servers, folder, name, config):
        self.topic = "golden-" + name
        self.rng = random.Random(name)
        self.lines = []
        self.path = "%s/%s.tsv" % (folder, name)
        self.config = {
            "bootstrap.servers": bootstrap_servers,
            "linger.ms": 30_000,    # flush() sends: what lies between two of them is one batch
            "message.max.bytes": 1_000_000,
            **config,
        }

    def producer(self, **config):
        return Producer({**self.config, **config})

    def produce(self, producer, records, end="committed"):
        for key, value, headers in records:
            timestamp = BASE_TIMESTAMP_MS + self.rng.randrange(1_000)
            producer.produce(
                self.topic, partition=0, key=key, value=value, headers=headers, timestamp=timestamp,
                on_delivery=self.on_delivery(timestamp, end, key, value, headers))
        producer.flush()

    def on_delivery(self, timestamp, end, key, value, headers):
        def write(error, message):
            if error is not None:
                raise KafkaException(error)
            self.lines.append((message.offset(), "\t".join([
                str(message.offset()), str(timestamp), end, hex_or_null(key),
                "-" if value is None else str(len(value)),
                "-" if value is None else "%08x" % zlib.crc32(value),
                ",".join("%s=%s" % (name.encode().hex(), hex_or_null(data)) for name, data in headers)])))
        return write

    def close(self):
        with open(self.path, "w", encoding="ascii") as file:
            for _, line in sorted(self.lines):
                file.write(line + "\n")
        print("%s: %d records" % (self.topic, len(self.lines)))


def produce_codec(bootstrap_servers, folder, codec):
    golden = Golden(bootstrap_servers, folder, codec, {"compression.type": codec})
    plain = golden.producer()
    idempotent = golden.producer(**{"enable.idempotence": True})
    for i, records in enumerate(batches(golden.rng, codec)):
        golden.produce(idempotent if i % 2 else plain, records)
    golden.close()


def produce_transactions(bootstrap_servers, folder):
    """Two producers in turn, so that each one's transactions lie across the other's batches."""
    golden = Golden(bootstrap_servers, folder, "transactions", {})
    producers = []
    for name, codec in (("one", "lz4"), ("other", "snappy")):
        producer = golden.producer(**{"transactional.id": name, "compression.type": codec})
        producer.init_transactions()
        producers.append(producer)
    for i in range(8):
        is_aborted = [golden.rng.random() < 0.5 for _ in producers]
        for producer in producers:
            producer.begin_transaction()
        for k in range(3):
            for p, producer in enumerate(producers):
                records = [(b"%d" % p, b"transaction %d, part %d, record %d" % (i, k, r), []) for r in range(4)]
                golden.produce(producer, records, "aborted" if is_aborted[p] else "committed")
        for p, producer in enumerate(producers):
            if is_aborted[p]:
                producer.abort_transaction()
            else:
                producer.commit_transaction()
    golden.close()


def await_broker(bootstrap_servers):
    host, port = bootstrap_servers.split(":")
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection((host, int(port)), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def main():
    bootstrap_servers, folder = sys.argv[1:]
    print("librdkafka", libversion()[0])
    await_broker(bootstrap_servers)
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    topics = [NewTopic("golden-" + name, num_partitions=1, replication_factor=1,
                       config={"message.timestamp.before.max.ms": str(2 ** 63 - 1), "retention.ms": "-1",
                               # The markers of transactions have the time of day, and would roll a segment.
                               "segment.ms": str(2 ** 63 - 1)})
              for name in CODECS + ["transactions"]]
    for future in admin.create_topics(topics, operation_timeout=60).values():
        future.result()
    for codec in CODECS:
        produce_codec(bootstrap_servers, folder, codec)
    produce_transactions(bootstrap_servers, folder)


main()
