/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Where brokers are.
 */
package org.odradek.kafka.cluster;
