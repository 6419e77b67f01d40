import type { InputFiles } from '../input-files.ts'
import type { ParsedRow } from '../row.ts'
import type { ProviderExport } from './export.ts'
import { addGroupMembers } from './groups.ts'
import { type Item, isCsv, isTrue, readCsvItems, readJsonItems, toObjects, toText, type Values } from './items.ts'
import type { MembershipIndex } from './memberships.ts'
import { toRow } from './user.ts'

interface Options {
  /** The answers of `list-users`, or a CSV file with the columns of `get-csv-header`. */
  paths: string[]
  /** One group per line, with the answer of `list-users-in-group`. */
  groups: string | undefined
  assumeVerified: boolean
}

export function readCognito(files: InputFiles, { paths, groups, assumeVerified }: Options): ProviderExport {
  return {
    userFiles: paths,
    readOrganizations: (index) =>
      addGroupMembers(files, groups, {
        index,
        nameOf: ({ GroupName }) => GroupName,
        membersOf: ({ Users }) => toObjects(Users).map(({ Username }) => Username),
      }),
    async *readUsers(index) {
      for (const file of paths) {
        const items = isCsv(file)
          ? readCsvItems(files, file, { required: 'email' })
          : readJsonItems(files, file, { sections: ['Users'] })
        for await (const item of items) yield 'reason' in item ? item : toUser(item, index, assumeVerified)
      }
    },
  }
}

/** The attributes of a user. The API has a list of names and values, the CSV file has columns. */
function readAttributes(values: Values): Values {
  if (!Array.isArray(values.Attributes)) return values
  return Object.fromEntries(toObjects(values.Attributes).map(({ Name, Value }) => [String(Name), Value]))
}

function toUser(item: Item, index: MembershipIndex, assumeVerified: boolean): ParsedRow {
  const { line, place, values } = item
  const attributes = readAttributes(values)
  const email = toText(attributes.email)
  if (email === undefined) return { line, place, reason: 'the user has no email address' }
  const losses: string[] = []
  if (isTrue(values['cognito:mfa_enabled']) || toObjects(values.MFAOptions).length > 0) {
    losses.push('the second factor is left out: Cognito does not export its secret')
  }
  return toRow(item, {
    email,
    emailVerified: assumeVerified || isTrue(attributes.email_verified),
    disabled: values.Enabled === false,
    profile: {
      givenName: attributes.given_name,
      familyName: attributes.family_name,
      middleName: attributes.middle_name,
      displayName: attributes.name,
      nickname: attributes.nickname,
      pictureUrl: attributes.picture,
      website: attributes.website,
      zoneinfo: attributes.zoneinfo,
      locale: attributes.locale,
      phone: attributes.phone_number,
    },
    memberships: index.find([toText(values.Username) ?? toText(values['cognito:username'])]),
    losses,
  })
}
