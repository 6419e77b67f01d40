import type { InputFiles } from '../input-files.ts'
import type { ParsedRow } from '../row.ts'
import type { ProviderExport } from './export.ts'
import { addGroupMembers } from './groups.ts'
import { pbkdf2Notation, saltedShaNotation } from './hash-notation.ts'
import { type Item, readJsonItems, toObject, toObjects, toText, type Values } from './items.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

interface Options {
  /** The answers of the users API, or the users in the form in which Okta imports them. */
  paths: string[]
  /** One group per line, with its members. */
  groups: string | undefined
  assumeVerified: boolean
}

export function readOkta(files: InputFiles, { paths, groups, assumeVerified }: Options): ProviderExport {
  return {
    userFiles: paths,
    readOrganizations: (index) =>
      addGroupMembers(files, groups, {
        index,
        nameOf: ({ profile }) => toObject(profile).name,
        membersOf: ({ members }) => toObjects(members).map(({ id }) => id),
      }),
    async *readUsers(index) {
      for (const file of paths) {
        for await (const item of readJsonItems(files, file, { sections: [] })) {
          yield 'reason' in item ? item : toUser(item, index, assumeVerified)
        }
      }
    },
  }
}

const DISABLED = ['SUSPENDED', 'DEPROVISIONED']

function toUser(item: Item, index: MembershipIndex, assumeVerified: boolean): ParsedRow {
  const { line, place, values } = item
  const profile = toObject(values.profile)
  const credentials = toObject(values.credentials)
  const email = toText(profile.email)
  if (email === undefined) return { line, place, reason: 'the user has no email address' }
  const primary = toObjects(credentials.emails).find(({ type }) => type === 'PRIMARY')
  const losses: string[] = []
  return toRow(item, {
    email,
    // Most answers do not tell whether the address is verified. Then the directory is trusted.
    emailVerified: assumeVerified || primary?.status !== 'UNVERIFIED',
    disabled: DISABLED.includes(String(values.status)),
    profile: {
      givenName: profile.firstName,
      familyName: profile.lastName,
      middleName: profile.middleName,
      displayName: profile.displayName,
      nickname: profile.nickName,
      website: profile.profileUrl,
      zoneinfo: profile.timezone,
      // Okta writes en_US.
      locale: toText(profile.locale)?.replace('_', '-') ?? profile.preferredLanguage,
      phone: toText(profile.mobilePhone) ?? profile.primaryPhone,
    },
    passwordHash: toPasswordHash(toObject(toObject(credentials.password).hash), losses),
    memberships: index.find([toText(values.id)]),
    losses,
  })
}

function toPasswordHash(hash: Values, losses: string[]): string | undefined {
  if (hash.algorithm === undefined) return undefined
  const passwordHash = convertHash(hash)
  if (passwordHash === undefined) {
    losses.push('the password is left out: its hash is unsalted or has an algorithm that is not accepted here')
  }
  return passwordHash
}

const SHA_KINDS: Record<string, string> = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-512': 'sha512' }
const PBKDF2_KINDS: Record<string, string> = { SHA256_HMAC: 'sha256', SHA512_HMAC: 'sha512' }

function convertHash(hash: Values): string | undefined {
  const value = toText(hash.value)
  if (value === undefined) return undefined
  const salt = toText(hash.salt) ?? ''
  if (hash.algorithm === 'BCRYPT') return `$2a$${String(hash.workFactor).padStart(2, '0')}$${salt}${value}`
  const derived = { salt: Buffer.from(salt, 'base64'), digest: Buffer.from(value, 'base64') }
  if (hash.algorithm === 'PBKDF2') {
    const kind = PBKDF2_KINDS[String(hash.digestAlgorithm)]
    return kind && pbkdf2Notation(kind, Number(hash.iterationCount), derived)
  }
  const kind = SHA_KINDS[String(hash.algorithm)]
  return kind && saltedShaNotation(kind, { ...derived, saltFirst: hash.saltOrder === 'PREFIX' })
}
