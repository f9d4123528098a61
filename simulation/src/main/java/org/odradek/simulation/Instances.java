// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.Arrays;

/** Which members have equal instance ids: in some seeds a further one takes that of a static member now and then. */
final class Instances
{
    private final Member[] everybody;

    Instances(final GroupWorld world, final Member[] members)
    {
        final Member taken = world.scenario.isOn(FaultKind.INSTANCE_TAKEN) ?
            Arrays.stream(members).filter((member) -> member.isStatic).findFirst().orElse(null) : null;
        everybody = taken == null ? members : Arrays.copyOf(members, members.length + 1);
        if (taken != null)
        {
            everybody[members.length] = new Member(world, members.length, taken);
        }
    }

    Member[] everybody()
    {
        return everybody;
    }

    boolean isAnyClosing()
    {
        return Arrays.stream(everybody).anyMatch((member) -> member.isClosing);
    }

    /** Whether the coordinator may know another member under the instance id of one. */
    boolean isHeldByOther(final Member asking)
    {
        return Arrays.stream(everybody).anyMatch((member) ->
            member != asking && member.rules.isHolding(asking.instanceId, true));
    }
}
