// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.SystemUtil;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.core.ConsumerSettings;

/**
 * The system properties that set the defaults of a {@link ConsumerContext}, and the defaults without these properties.
 * A size is in bytes and may end in k, m or g.
 */
public final class ConsumerConfiguration
{
    /** The default of {@link ConsumerContext#fetchMaxBytes(int)}: 16 MiB. */
    public static final int FETCH_MAX_BYTES_DEFAULT = 16 * 1024 * 1024;
    public static final String FETCH_MAX_BYTES_PROP_NAME = "org.odradek.consumer.fetch.max.bytes";

    public static final int FETCH_MIN_BYTES_DEFAULT = 1;
    public static final String FETCH_MIN_BYTES_PROP_NAME = "org.odradek.consumer.fetch.min.bytes";

    public static final int FETCH_MAX_WAIT_MS_DEFAULT = 500;
    public static final String FETCH_MAX_WAIT_MS_PROP_NAME = "org.odradek.consumer.fetch.max.wait.ms";

    /** The default of {@link ConsumerContext#receiveBufferMaxLength(int)}: 64 MiB. */
    public static final int RECEIVE_BUFFER_MAX_LENGTH_DEFAULT = 64 * 1024 * 1024;
    public static final String RECEIVE_BUFFER_MAX_LENGTH_PROP_NAME = "org.odradek.consumer.receive.buffer.max.length";

    /** The default transport of each client; the property may be auto, nio or epoll. */
    public static final String TRANSPORT_DEFAULT = "auto";
    public static final String TRANSPORT_PROP_NAME = ConsumerSettings.TRANSPORT_PROP_NAME;

    /**
     * The default permissions of the files that the library creates: counters files, captures and offset files. The
     * property may be {@code rw-------} (the owner only), {@code rw-r-----} (also the group) or {@code rw-r--r--} (all
     * users).
     */
    public static final String FILE_PERMISSIONS_DEFAULT = WrittenFile.OWNER_ONLY;
    public static final String FILE_PERMISSIONS_PROP_NAME = WrittenFile.PERMISSIONS_PROP_NAME;

    private ConsumerConfiguration()
    {
    }

    static ConsumerSettings defaults()
    {
        final ConsumerSettings settings = new ConsumerSettings();
        settings.fetchMaxBytes = SystemUtil.getSizeAsInt(FETCH_MAX_BYTES_PROP_NAME, FETCH_MAX_BYTES_DEFAULT);
        settings.fetchMinBytes = SystemUtil.getSizeAsInt(FETCH_MIN_BYTES_PROP_NAME, FETCH_MIN_BYTES_DEFAULT);
        settings.fetchMaxWaitMs = fetchMaxWaitMs();
        settings.receiveBufferMaxLength =
            SystemUtil.getSizeAsInt(RECEIVE_BUFFER_MAX_LENGTH_PROP_NAME, RECEIVE_BUFFER_MAX_LENGTH_DEFAULT);
        return settings;
    }

    private static int fetchMaxWaitMs()
    {
        final String value = System.getProperty(FETCH_MAX_WAIT_MS_PROP_NAME);
        try
        {
            return value == null ? FETCH_MAX_WAIT_MS_DEFAULT : Integer.parseInt(value);
        }
        catch (final NumberFormatException ex)
        {
            throw new IllegalArgumentException(
                FETCH_MAX_WAIT_MS_PROP_NAME + " is '" + value + "': it must be a whole number of milliseconds", ex);
        }
    }
}
