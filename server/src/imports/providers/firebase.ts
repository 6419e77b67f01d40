import { readFileSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'
import { describeFsError } from '../../lib/fs-error.ts'
import type { InputFiles } from '../input-files.ts'
import type { ParsedRow } from '../row.ts'
import type { ProviderExport } from './export.ts'
import { type FirebaseParameters, firebaseNotation } from './hash-notation.ts'
import {
  type Item,
  isCsv,
  isTrue,
  parseEmbedded,
  readCsvItems,
  readJsonItems,
  toText,
  toTexts,
  type Values,
} from './items.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

interface Options {
  /** The files of `firebase auth:export`. */
  paths: string[]
  /** The file with the password hash parameters of the project. */
  hashConfig: string | undefined
  /** The custom claim that has the slug of a tenant, or a list of slugs. */
  tenantClaim: string | undefined
  /** The custom claim that has the name of a role, or a list of names. */
  roleClaim: string | undefined
  assumeVerified: boolean
}

interface UserOptions extends Options {
  index: MembershipIndex
  parameters: FirebaseParameters | undefined
}

export function readFirebase(files: InputFiles, options: Options): ProviderExport {
  const parameters = options.hashConfig === undefined ? undefined : readHashConfig(options.hashConfig)
  return {
    userFiles: options.paths,
    async *readUsers(index) {
      for (const file of options.paths) {
        const items = isCsv(file)
          ? readCsvItems(files, file, { columns: CSV_COLUMNS, minValues: MIN_CSV_VALUES })
          : readJsonItems(files, file, { sections: ['users'] })
        for await (const item of items) {
          yield 'reason' in item ? item : toUser(item, { ...options, index, parameters })
        }
      }
    },
  }
}

/** The CSV file has no row of column names. Every record ends with a comma. */
const CSV_COLUMNS = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...['google', 'facebook', 'twitter', 'github'].flatMap((provider) =>
    ['id', 'email', 'displayName', 'photoUrl'].map((name) => `${provider}.${name}`),
  ),
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes', ''],
]
/** Older versions of the command write fewer columns. */
const MIN_CSV_VALUES = 25

function toUser(item: Item, options: UserOptions): ParsedRow {
  const { line, place, values } = item
  const email = toText(values.email)
  if (email === undefined) return { line, place, reason: 'the user has no email address' }
  const claims = parseEmbedded(toText(values.customAttributes) ?? {})
  const tenants = readClaim(claims, options.tenantClaim)
  const roles = readClaim(claims, options.roleClaim)
  const losses: string[] = []
  const unused = Object.keys(claims).filter((name) => name !== options.tenantClaim && name !== options.roleClaim)
  if (unused.length > 0) losses.push(`the custom claims ${unused.join(', ')} are left out`)
  return toRow(item, {
    email,
    emailVerified: options.assumeVerified || isTrue(values.emailVerified),
    disabled: isTrue(values.disabled),
    profile: { displayName: values.displayName, pictureUrl: values.photoUrl, phone: values.phoneNumber },
    passwordHash: toPasswordHash(values, options.parameters, losses),
    memberships: options.index.find([], { roles, tenants }),
    losses,
  })
}

/** A claim that is a text or a list of texts. */
const readClaim = (claims: Values, name: string | undefined): string[] =>
  name === undefined ? [] : [...toTexts(claims[name]), ...[toText(claims[name])].filter((text) => text !== undefined)]

function toPasswordHash(
  values: Values,
  parameters: FirebaseParameters | undefined,
  losses: string[],
): string | undefined {
  const [hash, salt] = [toText(values.passwordHash), toText(values.salt)]
  if (hash === undefined || salt === undefined) return undefined
  if (!parameters) {
    losses.push('the password is left out: name the file of the password hash parameters with --hash-config')
    return undefined
  }
  // The API writes base64url, the command writes base64. Node reads both.
  const derived = { salt: Buffer.from(salt, 'base64'), digest: Buffer.from(hash, 'base64') }
  const passwordHash = firebaseNotation(parameters, derived)
  if (passwordHash === undefined) losses.push('the password is left out: its hash does not fit the parameters')
  return passwordHash
}

const PARAMETER = /"?(\w+)"?\s*:\s*"?([\w+/=-]+)"?/g
const MAX_CONFIG_BYTES = 10_000

/** Reads the text that the Firebase console shows, or the same names and values as JSON. */
function readHashConfig(file: string): FirebaseParameters {
  const text = readText(file)
  const values = new Map([...text.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name, value]))
  const require = (name: string, pattern: RegExp): string => {
    const value = values.get(name)
    if (value !== undefined && pattern.test(value)) return value
    throw new OperatorError(
      `${file}: ${name} is missing or not valid. Copy the whole text of "Password hash parameters" of the Firebase console.`,
    )
  }
  const base64 = /^[\w+/-]+={0,2}$/
  require('algorithm', /^SCRYPT$/)
  return {
    signerKey: Buffer.from(require('base64_signer_key', base64), 'base64'),
    saltSeparator: Buffer.from(require('base64_salt_separator', base64), 'base64'),
    rounds: Number(require('rounds', /^\d{1,3}$/)),
    memoryCost: Number(require('mem_cost', /^\d{1,2}$/)),
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, MAX_CONFIG_BYTES)
  } catch (error) {
    const reason = describeFsError(error) ?? 'there is no such file'
    throw new OperatorError(`${file} cannot be read: ${reason}.`, { cause: error })
  }
}
