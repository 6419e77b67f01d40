import type { InputFiles } from '../input-files.ts'
import type { ParsedRow, RowProblem } from '../row.ts'
import { toAuth0Hash } from './auth0-hash.ts'
import type { Organization, ProviderExport } from './export.ts'
import { type Item, readJsonItems, toObject, toObjects, toText, toTexts, type Values } from './items.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

interface Options {
  /** The users of an export job, one JSON object per line. */
  paths: string[]
  /** The password hashes that the support of Auth0 provides. */
  passwords: string | undefined
  /** Organizations of the Management API, each with its members. */
  organizations: string | undefined
  assumeVerified: boolean
}

export function readAuth0(
  files: InputFiles,
  { paths, passwords, organizations, assumeVerified }: Options,
): ProviderExport {
  const problems: RowProblem[] = []
  return {
    userFiles: passwords === undefined ? paths : [passwords, ...paths],
    async *readOrganizations() {
      if (organizations === undefined) return
      for await (const item of readJsonItems(files, organizations, { sections: [], hasMembers: true })) {
        yield 'reason' in item ? item : toOrganization(item)
      }
    },
    async *readUsers(index) {
      const credentials = await loadCredentials(files, passwords, problems)
      yield* problems
      for (const file of paths) {
        for await (const item of readJsonItems(files, file, { sections: [] })) {
          yield 'reason' in item ? item : toUser(item, { index, credentials, assumeVerified })
        }
      }
    },
  }
}

function toOrganization({ line, place, values }: Item): Organization | RowProblem {
  const slug = toText(values.name)
  const name = toText(values.display_name) ?? slug
  if (name === undefined) return { line, place, reason: 'the organization has no name' }
  return {
    line,
    place,
    keys: [name, slug, toText(values.id)].filter((key) => key !== undefined),
    name,
    slug,
    suspended: false,
    members: toObjects(values.members).flatMap(({ user_id, roles }) =>
      typeof user_id === 'string'
        ? [{ userKey: user_id, roles: toObjects(roles).flatMap((role) => toText(role.name) ?? []) }]
        : [],
    ),
  }
}

interface Credentials {
  byUserId: Map<string, Values>
  /** Only of accounts whose address is verified: an unverified one may belong to somebody else. */
  byVerifiedEmail: Map<string, Values>
}

/** The part of an object of the password file that is needed. */
const toCredential = ({ passwordHash, custom_password_hash, mfa_factors }: Values): Values => ({
  ...(passwordHash !== undefined && { passwordHash }),
  ...(custom_password_hash !== undefined && { custom_password_hash }),
  ...(mfa_factors !== undefined && { mfa_factors }),
})

async function loadCredentials(
  files: InputFiles,
  file: string | undefined,
  problems: RowProblem[],
): Promise<Credentials> {
  const credentials: Credentials = { byUserId: new Map(), byVerifiedEmail: new Map() }
  if (file === undefined) return credentials
  for await (const item of readJsonItems(files, file, { sections: [] })) {
    if ('reason' in item) {
      problems.push(item)
      continue
    }
    const { values } = item
    const id = toText(values.alt_id) ?? toText(toObject(values._id).$oid) ?? toText(values._id)
    const credential = toCredential(values)
    if (id !== undefined) credentials.byUserId.set(`auth0|${id}`, credential)
    const email = findVerifiedEmail(values)
    if (email !== undefined) credentials.byVerifiedEmail.set(email.toLowerCase(), credential)
  }
  return credentials
}

function findVerifiedEmail(values: Values): string | undefined {
  if (values.email_verified === true) return toText(values.email)
  const identifier = toObjects(values.identifiers).find(({ type, verified }) => type === 'email' && verified === true)
  return toText(identifier?.value)
}

interface UserOptions {
  index: MembershipIndex
  credentials: Credentials
  assumeVerified: boolean
}

function toUser(item: Item, { index, credentials, assumeVerified }: UserOptions): ParsedRow {
  const { values } = item
  const email = toText(values.email)
  if (email === undefined) return { line: item.line, place: item.place, reason: 'the user has no email address' }
  const userId = toText(values.user_id)
  const emailVerified = assumeVerified || values.email_verified === true
  const own = userId === undefined ? undefined : credentials.byUserId.get(userId)
  const ofAddress = emailVerified ? credentials.byVerifiedEmail.get(email.toLowerCase()) : undefined
  const merged = { ...values, ...(own ?? ofAddress) }
  const losses: string[] = []
  return toRow(item, {
    email,
    emailVerified,
    disabled: values.blocked === true,
    profile: {
      givenName: values.given_name,
      familyName: values.family_name,
      // Auth0 uses the address as the name of users who have none.
      displayName: values.name === email ? undefined : values.name,
      nickname: values.nickname,
      pictureUrl: values.picture,
      locale: values.locale,
      phone: values.phone_number,
    },
    passwordHash: toAuth0Hash(merged, losses),
    totpSecret: findTotpSecret(merged, losses),
    memberships: index.find([userId]),
    losses,
  })
}

function findTotpSecret(values: Values, losses: string[]): string | undefined {
  const factors = toObjects(values.mfa_factors)
  const secret = factors.map(({ totp }) => toText(toObject(totp).secret)).find((text) => text !== undefined)
  const others = factors.filter(({ totp }) => totp === undefined).flatMap((factor) => Object.keys(factor))
  if (others.length > 0) losses.push(`the second factors by ${others.join(', ')} are left out`)
  if (factors.length === 0 && toTexts(values.multifactor).length > 0) {
    losses.push('the second factor is left out: the files do not contain its secret')
  }
  return secret
}
