/* SPDX-License-Identifier: Apache-2.0 */
/*
 * librdkafka as a client under measurement. It is told on standard input what to do, by one word a line, and answers each
 * on standard output by one JSON object a line:
 *
 *   version   which librdkafka this is
 *   open      nothing: a pass makes the client when there is none
 *   pass      read every record of the topic from its first on, rest, and say what was read and what that cost
 *   read      read the topic from its first record on for each of these times in milliseconds, with a client of its own
 *   contents  count the records of each partition, and add a checksum of their keys, values and headers in order
 *   publish   publish RECORDS records with values of this length, with keys or without (1 or 0)
 *   run       read from the end of the topic on, in a thread of its own; "run budgetMs=N" lets the broker hold fetches
 *   practise  the same: what is compiled beforehand needs no practice
 *   measure   let all counts begin anew
 *   stop      read no longer, and say what was read and what that cost
 *   join      become a member of a group, and write a line for each record
 *   leave     give all partitions up
 *
 * It ends with its parent. Trouble is said on standard error and ends it with exit code 1.
 */
#define _POSIX_C_SOURCE 200809L

#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_LENGTH 64
#define RUN_WITH_BUDGET "run budgetMs="
#define READ "read "
#define PUBLISH "publish "
#define FIRST_SETTING 6

static void obey(char *command, const settings_t *settings, FILE *answers)
{
    if (0 == strcmp(command, "version"))
    {
        fprintf(answers, "{\"version\":\"%s\"}\n", rd_kafka_version_str());
    }
    else if (0 == strcmp(command, "open"))
    {
        fprintf(answers, "{\"state\":\"open\"}\n");
    }
    else if (0 == strcmp(command, "pass"))
    {
        pass(settings, answers);
    }
    else if (0 == strcmp(command, "contents"))
    {
        contents(settings, answers);
    }
    else if (0 == strncmp(command, READ, sizeof(READ) - 1))
    {
        read_for(settings, command + sizeof(READ) - 1, answers);
    }
    else if (0 == strncmp(command, PUBLISH, sizeof(PUBLISH) - 1))
    {
        publish(settings, command + sizeof(PUBLISH) - 1, answers);
    }
    else if (0 == strcmp(command, "run") || 0 == strcmp(command, "practise"))
    {
        live_run(settings, answers);
    }
    else if (0 == strncmp(command, RUN_WITH_BUDGET, sizeof(RUN_WITH_BUDGET) - 1))
    {
        settings_t with_budget = *settings;
        with_budget.budget_ms = strtol(command + sizeof(RUN_WITH_BUDGET) - 1, NULL, 10);
        live_run(&with_budget, answers);
    }
    else if (0 == strcmp(command, "measure"))
    {
        live_measure(answers);
    }
    else if (0 == strcmp(command, "stop"))
    {
        live_stop(answers);
    }
    else if (0 == strcmp(command, "join"))
    {
        member_join(settings, answers);
    }
    else if (0 == strcmp(command, "leave"))
    {
        member_leave(answers);
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
        fail("usage", "librdkafka_client TOPIC PARTITIONS RECORDS REST_MS POLL_MS NAME=VALUE...");
    }
    const settings_t settings =
    {
        .topic = argv[1],
        .partitions = (int)strtol(argv[2], NULL, 10),
        .records = strtoull(argv[3], NULL, 10),
        .rest_ms = strtol(argv[4], NULL, 10),
        .poll_ms = (int)strtol(argv[5], NULL, 10),
        .names = argv + FIRST_SETTING,
        .name_count = argc - FIRST_SETTING
    };
    if (settings.partitions < 1 || settings.partitions > PARTITIONS_LIMIT)
    {
        fail(argv[2], "is no number of partitions");
    }
    printf("{\"state\":\"started\"}\n");
    fflush(stdout);
    char command[COMMAND_LENGTH];
    while (NULL != fgets(command, sizeof(command), stdin))
    {
        command[strcspn(command, "\n")] = '\0';
        obey(command, &settings, stdout);
    }
    /* Not closed in order: its threads would be waited for, and there is nothing to save. */
    _Exit(0);
}
