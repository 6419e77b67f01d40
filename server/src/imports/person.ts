import type { Role } from '../db/tables.ts'
import { parseEmail } from '../lib/email.ts'
import { isCleanText } from '../lib/text.ts'
import type { ImportedPerson } from '../users/import.ts'
import { passwordHashProblem } from '../users/password-hashes.ts'
import { PROFILE_FIELDS, PROFILE_NAMES, type ProfileTexts } from '../users/profile-fields.ts'
import type { Field } from './columns.ts'
import type { Problem, Row } from './row.ts'

/** Somebody to import, and where they belong. */
export interface Newcomer {
  line: number
  person: ImportedPerson
  membership: { tenant: string; role: Role } | undefined
}

/** Where people belong of whom the file does not say. */
export interface Placement {
  tenant?: string | undefined
  role?: Role | undefined
}

const ROLES = ['owner', 'admin', 'member']
const TRUE = /^(?:true|1|yes)$/i
const FALSE = /^(?:false|0|no)$/i

class Unfit extends Error {}

/** The person of a row, or what is wrong with it. */
export function readPerson({ line, values }: Row, placement: Placement): Newcomer | Problem {
  const email = typeof values.email === 'string' ? parseEmail(values.email.trim()) : undefined
  if (email === undefined) return { line, reason: 'email is no e-mail address' }
  try {
    const person = toPerson(email, values)
    const membership = toMembership(values, placement)
    refuseNonsense(person, membership)
    return { line, person, membership }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    return { line, email, reason: error.message }
  }
}

function toPerson(email: string, values: Row['values']): ImportedPerson {
  const passwordHash = readText(values, 'passwordHash') ?? null
  const problem = passwordHash === null ? undefined : passwordHashProblem(passwordHash)
  if (problem) throw new Unfit(`passwordHash cannot be taken: ${problem.replace(/\.$/, '')}`)
  return {
    email,
    // As in a declaration, whoever brings people along vouches for them unless they say otherwise.
    emailVerified: readFlag(values, 'emailVerified') ?? true,
    passwordHash,
    disabled: readFlag(values, 'disabled'),
    profile: toProfile(values),
  }
}

function toProfile(values: Row['values']): ProfileTexts {
  const texts = PROFILE_NAMES.flatMap((name) => {
    const text = readText(values, name)
    if (text === undefined) return []
    const value = PROFILE_FIELDS[name].read(text)
    if (value === undefined) throw new Unfit(`${name} ${PROFILE_FIELDS[name].rule}`)
    return [[name, value]]
  })
  return Object.fromEntries(texts)
}

function toMembership(values: Row['values'], placement: Placement): Newcomer['membership'] {
  const tenant = readText(values, 'tenant') ?? placement.tenant
  const role = readText(values, 'role') ?? placement.role
  if (role !== undefined && !ROLES.includes(role)) throw new Unfit('role must be owner, admin or member')
  if (tenant !== undefined) return { tenant, role: (role as Role | undefined) ?? 'member' }
  if (readText(values, 'role') !== undefined) throw new Unfit('role is given without a tenant')
  return undefined
}

/** An address that nobody has proven may be anybody's. */
function refuseNonsense(person: ImportedPerson, membership: Newcomer['membership']): void {
  if (person.emailVerified) return
  if (person.passwordHash === null)
    throw new Unfit('has neither a verified address nor a passwordHash: nobody could sign in')
  if (membership) throw new Unfit('cannot be a member of a tenant before the address is verified')
}

/** A text that is given; nothing and the empty text are none. */
function readText(values: Row['values'], field: Field): string | undefined {
  const value = values[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new Unfit(`${field} must be a text`)
  if (!isCleanText(value)) throw new Unfit(`${field} contains a character that is not allowed`)
  return value
}

function readFlag(values: Row['values'], field: Field): boolean | undefined {
  const value = values[field]
  if (typeof value === 'boolean') return value
  const text = readText(values, field)?.trim()
  if (text === undefined || text === '') return undefined
  if (TRUE.test(text)) return true
  if (FALSE.test(text)) return false
  throw new Unfit(`${field} must be true or false`)
}
