/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Names of partitions, offsets of groups, and error codes.
 */
package org.odradek.kafka.common;
