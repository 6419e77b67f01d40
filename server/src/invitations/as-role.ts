import type { Role } from '../db/tables.ts'

/** The end of a sentence about who is invited: being a member is nothing special, being more is worth a word. */
const AS: Record<Role, string> = { owner: ' as an owner', admin: ' as an admin', member: '' }

export const asRole = (role: Role): string => AS[role]
