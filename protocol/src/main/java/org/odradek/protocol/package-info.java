/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The primitives of the Kafka wire: API keys, error codes, varints, and bounds-checked readers and writers.
 */
package org.odradek.protocol;
