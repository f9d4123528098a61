/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Sets of messages.
 */
package org.odradek.kafka.javaapi.message;
