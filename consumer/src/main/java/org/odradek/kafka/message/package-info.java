/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
/**
 * Messages.
 */
package org.odradek.kafka.message;
