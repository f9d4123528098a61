/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Counters, which every package of the consumer may use.
 */
package org.odradek.consumer.status;
