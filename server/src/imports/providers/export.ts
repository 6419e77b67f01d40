import type { ParsedRow, RowProblem } from '../row.ts'
import type { Place } from './items.ts'
import type { MembershipIndex } from './memberships.ts'

/** The export files of another identity provider, converted to what an import needs. */
export interface ProviderExport {
  /** The files that `readUsers` reads. */
  userFiles: string[]
  /** Called first. Groups are added to the index here; organizations are returned. */
  readOrganizations?(index: MembershipIndex): AsyncIterable<Organization | RowProblem>
  readUsers(index: MembershipIndex): AsyncIterable<ParsedRow>
  /** Only if the export has clients. */
  readClients?(): AsyncIterable<ImportedClient | RowProblem>
}

/** An organization that becomes a tenant. */
export interface Organization extends Place {
  /** The names by which the operator may refer to it. */
  keys: string[]
  name: string
  /** The preferred slug; derived from the name when it is missing or not a slug. */
  slug: string | undefined
  suspended: boolean
  members: { userKey: string; roles: string[] }[]
}

/** A client, as an entry of a declaration without its application. */
export interface ImportedClient extends Place {
  clientId: string
  entry: Record<string, unknown>
  /** What the client does not get here. */
  losses: string[]
}
