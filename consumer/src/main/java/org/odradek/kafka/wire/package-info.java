/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * How the packages beside this one speak to brokers: one blocking exchange at a time over the consumer's own
 * connections, and the records of an answer as messages. Not for users.
 */
package org.odradek.kafka.wire;
