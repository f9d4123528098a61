/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Callback types, which every package of the consumer may use.
 */
package org.odradek.consumer.handler;
