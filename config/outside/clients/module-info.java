// SPDX-License-Identifier: Apache-2.0

module outside
{
    requires org.odradek.consumer;
    requires org.odradek.publisher;
    requires org.odradek.workers;
}
