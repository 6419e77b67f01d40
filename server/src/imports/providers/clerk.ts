import type { InputFiles } from '../input-files.ts'
import type { ParsedRow, RowProblem } from '../row.ts'
import { toClerkHash } from './clerk-hash.ts'
import type { Organization, ProviderExport } from './export.ts'
import {
  type Item,
  isCsv,
  isTrue,
  type Place,
  readCsvItems,
  readJsonItems,
  toObject,
  toObjects,
  toText,
  type Values,
} from './items.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

interface Options {
  /** The CSV file of the dashboard, or JSON of the API or of the support of Clerk. */
  paths: string[]
  organizations: string | undefined
  memberships: string | undefined
  assumeVerified: boolean
}

/** The key of the list in an answer of the API. */
const API_LIST = { sections: ['data'] }

export function readClerk(files: InputFiles, options: Options): ProviderExport {
  const { paths, assumeVerified } = options
  return {
    userFiles: paths,
    readOrganizations: () => readOrganizations(files, options),
    async *readUsers(index) {
      for (const file of paths) {
        const items = isCsv(file) ? readCsvItems(files, file, { required: 'id' }) : readJsonItems(files, file, API_LIST)
        for await (const item of items) yield 'reason' in item ? item : toUser(item, index, assumeVerified)
      }
    },
  }
}

/** A membership names its organization, so the file of the organizations is only needed for those without members. */
async function* readOrganizations(
  files: InputFiles,
  { organizations, memberships }: Options,
): AsyncGenerator<Organization | RowProblem> {
  const byId = new Map<string, Organization>()
  const add = (place: Place, values: Values): Organization | undefined => {
    const [id, name] = [toText(values.id), toText(values.name)]
    if (id === undefined || name === undefined) return undefined
    const slug = toText(values.slug)
    const keys = [name, id, ...(slug === undefined ? [] : [slug])]
    const known = byId.get(id) ?? { ...place, keys, name, slug, suspended: false, members: [] }
    byId.set(id, known)
    return known
  }
  for (const file of [organizations, memberships]) {
    if (file === undefined) continue
    for await (const item of readJsonItems(files, file, API_LIST)) {
      if ('reason' in item) {
        yield item
        continue
      }
      const { line, place, values } = item
      const isMembership = file === memberships
      const organization = add({ line, place }, isMembership ? toObject(values.organization) : values)
      if (!organization) yield { line, place, reason: 'the organization has no id or no name' }
      const userKey = toText(toObject(values.public_user_data).user_id)
      if (organization && isMembership && userKey !== undefined) {
        organization.members.push({ userKey, roles: [toText(values.role) ?? 'org:member'] })
      }
    }
  }
  yield* byId.values()
}

function toUser(item: Item, index: MembershipIndex, assumeVerified: boolean): ParsedRow {
  const { line, place, values } = item
  const addresses = listAddresses(values)
  const primary =
    addresses.find(({ isPrimary }) => isPrimary) ?? addresses.find(({ verified }) => verified) ?? addresses[0]
  if (!primary) return { line, place, reason: 'the user has no email address' }
  const losses: string[] = []
  if (addresses.length > 1) losses.push(`${addresses.length - 1} more addresses are left out: a user has one here`)
  const totpSecret = toText(values.totp_secret)
  if (totpSecret === undefined && (isTrue(values.two_factor_enabled) || isTrue(values.totp_enabled))) {
    losses.push('the second factor is left out: the file does not contain its secret')
  }
  return toRow(item, {
    email: primary.email,
    emailVerified: assumeVerified || primary.verified,
    disabled: isTrue(values.banned),
    profile: {
      givenName: values.first_name,
      familyName: values.last_name,
      nickname: values.username,
      pictureUrl: values.has_image === false ? undefined : values.image_url,
      phone: toText(values.primary_phone_number) ?? toObjects(values.phone_numbers)[0]?.phone_number,
      locale: values.locale,
    },
    passwordHash: toClerkHash(values, losses),
    totpSecret,
    memberships: index.find([toText(values.id)]),
    losses,
  })
}

interface Address {
  email: string
  verified: boolean
  isPrimary: boolean
}

/** The API has objects, the CSV file has columns, and the JSON of the support has one text. */
function listAddresses(values: Values): Address[] {
  const ofApi = toObjects(values.email_addresses).flatMap(({ id, email_address, verification }) => {
    const email = toText(email_address)
    if (email === undefined) return []
    const verified = toObject(verification).status === 'verified'
    return [{ email, verified, isPrimary: id === values.primary_email_address_id }]
  })
  if (ofApi.length > 0) return ofApi
  const verified = splitAddresses(values.verified_email_addresses)
  const unverified = splitAddresses(values.unverified_email_addresses)
  const joined = splitAddresses(values.email_addresses)
  const primary = toText(values.primary_email_address) ?? joined[0]
  const all = new Set([...(primary === undefined ? [] : [primary]), ...verified, ...unverified, ...joined])
  return [...all].map((email) => ({
    email,
    // The primary address is verified unless the file says otherwise.
    verified: verified.includes(email) || (email === primary && !unverified.includes(email)),
    isPrimary: email === primary,
  }))
}

const splitAddresses = (value: unknown): string[] =>
  (toText(value) ?? '').split(/[|,;\s]+/).filter((text) => text !== '')
