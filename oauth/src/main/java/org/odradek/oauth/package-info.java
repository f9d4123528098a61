// SPDX-License-Identifier: Apache-2.0
/** Fetches tokens for OAUTHBEARER from an OpenID Connect provider. */
package org.odradek.oauth;
