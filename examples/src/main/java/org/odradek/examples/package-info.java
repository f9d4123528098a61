/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Small programs that show one thing each.
 */
package org.odradek.examples;
