import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { describeFsError } from '../../lib/fs-error.ts'
import type { InputFiles } from '../input-files.ts'
import type { ParsedRow, RowProblem } from '../row.ts'
import type { Organization, ProviderExport } from './export.ts'
import { type Item, readJsonItems, toObject, toObjects, toText, toTexts } from './items.ts'
import { readClient } from './keycloak-clients.ts'
import { readCredentials } from './keycloak-credentials.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

/** The files that `kc.sh export` writes: one file, or a folder with a file for the realm and files for its users. */
const REALM_FILE = /-realm\.json$/
const USERS_FILE = /-users-\d+\.json$/

interface Options {
  paths: string[]
  assumeVerified: boolean
}

export function readKeycloak(files: InputFiles, { paths, assumeVerified }: Options): ProviderExport {
  const all = paths.flatMap(listFiles)
  const realmFiles = all.filter((file) => !USERS_FILE.test(file))
  return {
    userFiles: all,
    async *readOrganizations() {
      for (const file of realmFiles) {
        for await (const item of readJsonItems(files, file, { sections: ['organizations'], hasMembers: true })) {
          yield 'reason' in item ? item : toOrganization(item)
        }
      }
    },
    async *readUsers(index) {
      for (const file of all) {
        for await (const item of readJsonItems(files, file, { sections: ['users'] })) {
          if ('reason' in item) yield item
          else if (item.values.serviceAccountClientId === undefined) yield toUser(item, index, assumeVerified)
        }
      }
    },
    async *readClients() {
      for (const file of realmFiles) {
        for await (const item of readJsonItems(files, file, { sections: ['clients'] })) {
          const client = 'reason' in item ? item : readClient(item)
          if (client) yield client
        }
      }
    },
  }
}

function listFiles(path: string): string[] {
  let names: string[]
  try {
    if (!statSync(path).isDirectory()) return [path]
    names = readdirSync(path).filter((name) => REALM_FILE.test(name) || USERS_FILE.test(name))
  } catch (error) {
    const reason = describeFsError(error) ?? 'there is no such file or folder'
    throw new OperatorError(`${path} cannot be read: ${reason}.`, { cause: error })
  }
  const realms = names.filter((name) => REALM_FILE.test(name))
  if (realms.length > 1) {
    throw new OperatorError(`${path} has the files of ${realms.length} realms. Name the files of one realm instead.`)
  }
  if (names.length === 0) {
    throw new OperatorError(`${path} has no file of a Keycloak export, such as <realm>-realm.json.`)
  }
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).map((name) => join(path, name))
}

function toOrganization({ line, place, values }: Item): Organization | RowProblem {
  const name = toText(values.name)
  if (name === undefined) return { line, place, reason: 'the organization has no name' }
  const slug = toText(values.alias)
  return {
    line,
    place,
    keys: [name, ...(slug === undefined ? [] : [slug])],
    name,
    slug,
    suspended: values.enabled === false,
    // An organization of Keycloak has members without roles.
    members: toObjects(values.members).flatMap(({ username }) =>
      typeof username === 'string' ? [{ userKey: username, roles: [] }] : [],
    ),
  }
}

/** Roles that every user has, or that are only for Keycloak itself. */
const BUILT_IN_ROLE = /^(?:default-roles-.*|offline_access|uma_authorization)$/

function toUser(item: Item, index: MembershipIndex, assumeVerified: boolean): ParsedRow {
  const { values } = item
  const email = toText(values.email)
  const username = toText(values.username)
  if (email === undefined) return { line: item.line, place: item.place, reason: 'the user has no email address' }
  const credentials = readCredentials(values)
  const attributes = toObject(values.attributes)
  const attribute = (name: string) => toTexts(attributes[name])[0]
  const roles = toTexts(values.realmRoles).filter((role) => !BUILT_IN_ROLE.test(role))
  return toRow(item, {
    email,
    emailVerified: assumeVerified || values.emailVerified === true,
    disabled: values.enabled === false,
    profile: {
      givenName: values.firstName,
      familyName: values.lastName,
      middleName: attribute('middleName'),
      nickname: attribute('nickname'),
      pictureUrl: attribute('picture'),
      website: attribute('website'),
      zoneinfo: attribute('zoneinfo'),
      locale: attribute('locale'),
      phone: attribute('phoneNumber'),
    },
    ...credentials,
    memberships: index.find([username], { roles, groups: toTexts(values.groups) }),
  })
}
