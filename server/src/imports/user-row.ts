import type { Role } from '../db/tables.ts'
import { parseEmail } from '../lib/email.ts'
import { isCleanText } from '../lib/text.ts'
import type { ImportedPerson } from '../users/import.ts'
import { passwordHashProblem } from '../users/password-hashes.ts'
import { PROFILE_FIELD_NAMES, PROFILE_FIELDS, type ProfileTexts } from '../users/profile-fields.ts'
import type { Field } from './columns.ts'
import type { Membership, Row, RowProblem } from './row.ts'

/** A valid row: a user and the tenants the user is to become a member of. */
export interface UserRow {
  line: number
  place: string | undefined
  person: ImportedPerson
  memberships: Membership[]
  losses: string[]
}

/** The membership for rows that do not name a tenant or a role. */
export interface DefaultMembership {
  tenant?: string | undefined
  role?: Role | undefined
}

const ROLES = ['owner', 'admin', 'member']
const TRUE = /^(?:true|1|yes)$/i
const FALSE = /^(?:false|0|no)$/i

class InvalidRowError extends Error {}

/** The user of a row, or the reason why the row is invalid. */
export function parseUserRow(row: Row, defaults: DefaultMembership): UserRow | RowProblem {
  const { line, place, values, losses = [] } = row
  const email = typeof values.email === 'string' ? parseEmail(values.email.trim()) : undefined
  if (email === undefined) return { line, place, reason: 'email is not a valid email address' }
  try {
    const person = { ...toPerson(email, values), totpSecret: row.totpSecret }
    const memberships = row.memberships ?? toMemberships(values, defaults)
    requireUsableAccount(person, memberships)
    return { line, place, person, memberships, losses }
  } catch (error) {
    if (!(error instanceof InvalidRowError)) throw error
    return { line, place, email, reason: error.message }
  }
}

function toPerson(email: string, values: Row['values']): ImportedPerson {
  const passwordHash = parseText(values, 'passwordHash') ?? null
  const problem = passwordHash === null ? undefined : passwordHashProblem(passwordHash)
  if (problem) throw new InvalidRowError(`passwordHash cannot be taken: ${problem.replace(/\.$/, '')}`)
  return {
    email,
    // As in a declaration, an address counts as verified unless the operator says otherwise.
    emailVerified: parseFlag(values, 'emailVerified') ?? true,
    passwordHash,
    disabled: parseFlag(values, 'disabled'),
    profile: toProfile(values),
  }
}

function toProfile(values: Row['values']): ProfileTexts {
  const texts = PROFILE_FIELD_NAMES.flatMap((name) => {
    const text = parseText(values, name)
    if (text === undefined) return []
    const value = PROFILE_FIELDS[name].read(text)
    if (value === undefined) throw new InvalidRowError(`${name} ${PROFILE_FIELDS[name].rule}`)
    return [[name, value]]
  })
  return Object.fromEntries(texts)
}

function toMemberships(values: Row['values'], defaults: DefaultMembership): Membership[] {
  const tenant = parseText(values, 'tenant') ?? defaults.tenant
  const role = parseText(values, 'role') ?? defaults.role
  if (role !== undefined && !ROLES.includes(role)) throw new InvalidRowError('role must be owner, admin or member')
  if (tenant !== undefined) return [{ tenant, role: (role as Role | undefined) ?? 'member' }]
  if (parseText(values, 'role') !== undefined) throw new InvalidRowError('role is given without a tenant')
  return []
}

/** An unverified address may belong to somebody else. */
function requireUsableAccount(person: ImportedPerson, memberships: Membership[]): void {
  if (person.emailVerified) return
  if (person.passwordHash === null)
    throw new InvalidRowError('has neither a verified address nor a passwordHash: nobody could sign in')
  if (memberships.length > 0) throw new InvalidRowError('cannot be a member of a tenant before the address is verified')
}

/** Undefined for a missing or empty value. */
function parseText(values: Row['values'], field: Field): string | undefined {
  const value = values[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new InvalidRowError(`${field} must be a text`)
  if (!isCleanText(value)) throw new InvalidRowError(`${field} contains a character that is not allowed`)
  return value
}

function parseFlag(values: Row['values'], field: Field): boolean | undefined {
  const value = values[field]
  if (typeof value === 'boolean') return value
  const text = parseText(values, field)?.trim()
  if (text === undefined || text === '') return undefined
  if (TRUE.test(text)) return true
  if (FALSE.test(text)) return false
  throw new InvalidRowError(`${field} must be true or false`)
}
