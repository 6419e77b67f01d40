import type { Role } from '../db/tables.ts'

/** The end of a sentence about an invitation. The default role, member, is not mentioned. */
const PHRASES: Record<Role, string> = { owner: ' as an owner', admin: ' as an admin', member: '' }

export const toRolePhrase = (role: Role): string => PHRASES[role]
