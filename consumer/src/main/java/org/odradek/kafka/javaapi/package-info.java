/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Requests and responses for Java, as {@code kafka.javaapi} had them.
 */
package org.odradek.kafka.javaapi;
