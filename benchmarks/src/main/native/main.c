/* SPDX-License-Identifier: Apache-2.0 */
/*
 * librdkafka as a client under measurement. It connects to a port of its parent on the loopback, or stays with standard
 * input and output if that is 0, is told there what to do by one word a line, and answers each by one JSON object a
 * line:
 *
 *   version   which librdkafka this is
 *   pass      read every record of the topic from its first on, rest, and say what was read and what that cost
 *   run       read from the end of the topic on, in a thread of its own
 *   practise  the same: what is compiled beforehand needs no practice
 *   measure   let all counts begin anew
 *   stop      read no longer, and say what was read and what that cost
 *
 * It ends with its parent. Trouble is said on standard error and ends it with exit code 1.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COMMAND_LENGTH 64
#define FIRST_SETTING 7

static int connect_to_parent(long port)
{
    const struct sockaddr_in address =
    {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    const int parent = socket(AF_INET, SOCK_STREAM, 0);
    if (parent < 0 || 0 != connect(parent, (const struct sockaddr *)&address, sizeof(address)))
    {
        fail("parent", "nobody listens on its port");
    }
    return parent;
}

static void obey(const char *command, const settings_t *settings, FILE *answers)
{
    if (0 == strcmp(command, "version"))
    {
        fprintf(answers, "{\"version\":\"%s\"}\n", rd_kafka_version_str());
    }
    else if (0 == strcmp(command, "pass"))
    {
        pass(settings, answers);
    }
    else if (0 == strcmp(command, "run") || 0 == strcmp(command, "practise"))
    {
        live_run(settings, answers);
    }
    else if (0 == strcmp(command, "measure"))
    {
        live_measure(answers);
    }
    else if (0 == strcmp(command, "stop"))
    {
        live_stop(answers);
    }
    else
    {
        fail(command, "is no command");
    }
    fflush(answers);
}

int main(int argc, char **argv)
{
    if (argc <= FIRST_SETTING)
    {
        fail("usage", "librdkafka_client PARENT_PORT TOPIC PARTITIONS RECORDS REST_MS POLL_MS NAME=VALUE...");
    }
    const settings_t settings =
    {
        .topic = argv[2],
        .partitions = (int)strtol(argv[3], NULL, 10),
        .records = strtoull(argv[4], NULL, 10),
        .rest_ms = strtol(argv[5], NULL, 10),
        .poll_ms = (int)strtol(argv[6], NULL, 10),
        .names = argv + FIRST_SETTING,
        .name_count = argc - FIRST_SETTING
    };
    if (settings.partitions < 1 || settings.partitions > PARTITIONS_LIMIT)
    {
        fail(argv[3], "is no number of partitions");
    }
    const long port = strtol(argv[1], NULL, 10);
    const int parent = 0 == port ? STDIN_FILENO : connect_to_parent(port);
    FILE *commands = fdopen(parent, "r");
    FILE *answers = 0 == port ? stdout : fdopen(dup(parent), "w");
    if (0 == port)
    {
        fprintf(answers, "{\"state\":\"started\"}\n");
        fflush(answers);
    }
    char command[COMMAND_LENGTH];
    while (NULL != fgets(command, sizeof(command), commands))
    {
        command[strcspn(command, "\n")] = '\0';
        obey(command, &settings, answers);
    }
    /* Not closed in order: its threads would be waited for, and there is nothing to save. */
    _Exit(0);
}
