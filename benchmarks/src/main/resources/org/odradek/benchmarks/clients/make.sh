#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes librdkafka_client from the sources in this folder, against the library in the binary package of its own
# maintainers' Python client, or else against the one that is installed:
#
#   sh make.sh PACKAGE PYTHON PKG_CONFIG COMPILER
#
# Writes "fetched" or "installed"; or one sentence that says why it cannot, and then the exit code is 1. What a command
# writes stays in ../NAME.log: it may name hosts and folders of the machine.
cd "$(dirname "$0")" || exit 1
exec 2> ../make.log
package=$1
python=$2
pkg_config=$3
compiler=$4

# step NAME COMMAND: runs the command, or writes why it could not be run
step()
{
    name=$1
    shift
    if ! command -v "$1" > /dev/null
    then
        echo "$1 is not installed"
        return 1
    fi
    "$@" > "../$name.log" 2>&1 || { echo "$name failed with exit code $?, see $name.log"; return 1; }
}

# The machine's Python may be any version that has pip. Nothing is installed.
fetch()
{
    [ "$(uname -s)" = Linux ] || { echo "its binary package is used on Linux only"; return 1; }
    step pip "$python" -m pip download --disable-pip-version-check --no-input --retries 1 --timeout 20 --no-deps \
        --only-binary :all: --implementation cp --python-version 3.11 --platform "manylinux_2_28_$(uname -m)" \
        --dest wheel "$package" || return 1
    step zipfile "$python" -m zipfile -e wheel/*.whl wheel || return 1
    mv wheel/confluent_kafka.libs/librdkafka-*.so.1 . 2> /dev/null || { echo "$package holds no librdkafka"; return 1; }
    rm -r wheel
}

if why_not_fetched=$(fetch)
then
    how=fetched
    library="./$(echo librdkafka-*.so.1) -Wl,-rpath,\$ORIGIN"
elif why_not_found=$(step pkg-config "$pkg_config" --libs rdkafka)
then
    how=installed
    library=$(cat ../pkg-config.log)
else
    echo "librdkafka could neither be fetched ($why_not_fetched) nor found on this machine ($why_not_found)"
    exit 1
fi
# Unquoted: what links the library is several words.
step compiler "$compiler" -O2 -std=c11 -pthread -o librdkafka_client *.c $library && echo "$how"
