/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Requests, as {@code kafka.api} had them.
 */
package org.odradek.kafka.api;
