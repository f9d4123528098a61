/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * The consumer itself.
 */
package org.odradek.kafka.javaapi.consumer;
