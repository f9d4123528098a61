#!/bin/sh
# Makes the golden files anew: a real broker, librdkafka as producer, then the broker's own segments are copied here.
# Needs Python 3 with venv, Maven and a JDK; the tests that read the files need none of it.
set -eu
here=$(CDPATH= cd -P "$(dirname "$0")" && pwd)
root=$(CDPATH= cd -P "$here/../../../../.." && pwd)
work=$(mktemp -d)
broker=
trap 'kill $broker 2>/dev/null || true; wait; rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q confluent-kafka==2.16.1

# The broker that the tests of this project run on, with its dependencies.
(cd "$root" && mvn -q -B -ntp dependency:build-classpath -pl testkit -Dmdep.outputFile="$work/classpath")
cat > "$work/server.properties" <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${CONTROLLER_PORT:-19193}
listeners=PLAINTEXT://127.0.0.1:${PORT:-19192},CONTROLLER://127.0.0.1:${CONTROLLER_PORT:-19193}
advertised.listeners=PLAINTEXT://127.0.0.1:${PORT:-19192}
controller.listener.names=CONTROLLER
log.dirs=$work/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
log.cleaner.dedupe.buffer.size=2097152
END
run_java()
{
    java -Xmx256m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$(cat "$work/classpath")" "$@"
}
run_java kafka.tools.StorageTool format -t "$(python3 -c \
    'import base64, uuid; print(base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="))')" \
    -c "$work/server.properties"
java -Xmx256m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$(cat "$work/classpath")" \
    kafka.Kafka "$work/server.properties" &
broker=$!

"$work/venv/bin/python" "$here/produce.py" "127.0.0.1:${PORT:-19192}" "$here"

# Stopped in good order, the broker has written all to its segments.
kill $broker
wait $broker || true
broker=
for codec in none gzip snappy lz4 zstd transactions
do
    cp "$work/data/golden-$codec-0/00000000000000000000.log" "$here/$codec.log"
done
ls -l "$here"
