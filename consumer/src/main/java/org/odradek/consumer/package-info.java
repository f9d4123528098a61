/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The consumer: what a user of it sees.
 */
package org.odradek.consumer;
