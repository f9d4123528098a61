/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The demo: a paced producer, then the stock client and ours, each alone in a JVM of its own, measured alike.
 */
package org.odradek.tools.demo;
