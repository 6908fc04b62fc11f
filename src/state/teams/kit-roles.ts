// Roles of a kit as members of teams: whether somebody works on a role, and on which of its jobs, follows from leases of its workers.
import { askForAttendance, attendanceOf, type Jobs, type RoleAttendance } from '../../jobs/door.ts';

/** Where the manager of a kit finds who works on a role. */
export interface KitRoles {
  /** From now on processes that work on the role say so. */
  ask(role: string): Promise<void>;
  attendance(role: string): Promise<RoleAttendance>;
}

export function kitRolesOf(jobs: Jobs): KitRoles {
  const { system } = jobs;
  return {
    async ask(role) {
      await askForAttendance(system.store, role);
    },
    attendance: (role) => attendanceOf(system, role),
  };
}
