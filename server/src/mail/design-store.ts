import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { LogoType } from '../db/tables.ts'
import type { MailKind } from './kinds.ts'

/** The application and the tenant that a mail is about. */
export interface MailOrigin {
  clientId?: string | undefined
  tenantId?: string | undefined
  /** The slug of the tenant that a request names, as an alternative to the id. It counts only for its members. */
  tenant?: string | undefined
  /** The mail comes from the operator: the tenant decides only the default language. */
  fromOperator?: boolean | undefined
}

export interface StoredMailBrand {
  name: string
  color: string | null
  logo: { hash: string; type: LogoType; width: number; height: number } | null
}

/** Edited texts; null is the default. */
export interface MailEdits {
  subject: string | null
  heading: string | null
  text: string | null
  button: string | null
}

export interface MailDesignRow {
  ofApplication: StoredMailBrand | null
  ofTenant: StoredMailBrand | null
  instanceEdits: MailEdits | null
  tenantEdits: MailEdits | null
  tenantLanguage: string | null
  /** Of the account with the address of the recipient. */
  locale: string | null
}

/** Whose brand and texts a mail has. */
export interface MailDesignQuery extends MailOrigin {
  kind: MailKind
  /** The address that the mail goes to. */
  recipient?: string | undefined
  /** For a preview: the brand of the tenant counts even if it is not approved. */
  unapproved?: boolean | undefined
}

/**
 * The brands and the edited texts of a mail, and the languages that it may have. Only an approved tenant has its own:
 * anybody can create a tenant with any name and invite people. Anybody can name a tenant in an authorization request, so
 * that it counts only for members.
 */
export async function findMailDesign(
  db: Db,
  { kind, clientId, tenantId, tenant, fromOperator = false, recipient, unapproved = false }: MailDesignQuery,
): Promise<MailDesignRow | undefined> {
  const { rows } = await sql<MailDesignRow>`
    select ${brandJson('applications')} as "ofApplication", ${brandJson('tenants')} as "ofTenant",
      (select ${editsJson('mail_templates')} from mail_templates where kind = ${kind}) as "instanceEdits",
      (
        select ${editsJson('tenant_mail_templates')} from tenant_mail_templates
        where kind = ${kind} and tenant_id = tenants.id
      ) as "tenantEdits",
      subjects.language as "tenantLanguage",
      (select locale from users where email = requested.recipient) as locale
    from (values (${clientId ?? null}::text, ${tenantId ?? null}::uuid, ${tenant ?? null}::text, ${recipient ?? null}::text))
      as requested (client_id, tenant_id, slug, recipient)
    left join clients on clients.client_id = requested.client_id
    left join applications on applications.id = clients.application_id and not applications.built_in
    left join brandings as of_applications on of_applications.application_id = applications.id
    left join tenants as subjects on subjects.id = requested.tenant_id or subjects.slug = requested.slug and exists (
        select from memberships join users on users.id = memberships.user_id
        where memberships.tenant_id = subjects.id and memberships.status = 'ACTIVE' and users.email = requested.recipient
      )
    left join tenants on tenants.id = subjects.id and not ${fromOperator}
      and (${unapproved} or tenants.branding_approved) and tenants.suspended_at is null
    left join brandings as of_tenants on of_tenants.tenant_id = tenants.id
  `.execute(db)
  return rows[0]
}

const editsJson = (table: 'mail_templates' | 'tenant_mail_templates') => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`jsonb_build_object(
    'subject', ${column('subject')}, 'heading', ${column('heading')},
    'text', ${column('body')}, 'button', ${column('button')}
  )`
}

const brandJson = (owners: 'applications' | 'tenants') => {
  const branding = (column: string) => sql.ref(`of_${owners}.${column}`)
  const logo = sql`jsonb_build_object(
    'hash', ${branding('logo_hash')}, 'type', ${branding('logo_type')},
    'width', ${branding('logo_width')}, 'height', ${branding('logo_height')}
  )`
  return sql`case when ${sql.ref(`${owners}.id`)} is not null then jsonb_build_object(
    'name', coalesce(${branding('display_name')}, ${sql.ref(`${owners}.name`)}), 'color', ${branding('color')},
    'logo', case when ${branding('logo_hash')} is not null then ${logo} end
  ) end`
}

export interface MailLogo {
  logo: Buffer
  type: LogoType
}

export const findMailLogo = (db: Db, hash: string): Promise<MailLogo | undefined> =>
  db
    .selectFrom('brandings')
    .select(['logo', 'logo_type as type'])
    .where('logo_hash', '=', hash)
    .limit(1)
    .$narrowType<{ logo: Buffer; type: LogoType }>()
    .executeTakeFirst()
