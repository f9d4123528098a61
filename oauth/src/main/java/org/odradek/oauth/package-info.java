// SPDX-License-Identifier: Apache-2.0
/**
 * Fetches tokens for OAUTHBEARER from an OpenID Connect provider, on a thread of the user. It uses the consumer's
 * {@code TokenSource}, the JDK's HttpURLConnection, and Jackson's reader of JSON.
 */
package org.odradek.oauth;
