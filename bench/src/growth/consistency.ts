import type pg from 'pg'

/** Each query finds rows that the service itself would never produce. */
const VIOLATIONS: Record<string, string> = {
  'more seats in use than were bought':
    'select from subscriptions where quantity_assigned + quantity_reserved > quantity_purchased',
  'a subscription with a wrong seat count': `
    select from subscriptions left join lateral (
      select count(*) from seats where subscription_id = subscriptions.id and status = 'ASSIGNED'
    ) as held on true where held.count <> quantity_assigned`,
  'a seat of a user who is not an active member': `
    select from seats left join memberships using (tenant_id, user_id)
    left join users on users.id = seats.user_id
    where memberships.status is distinct from 'ACTIVE' or users.disabled is distinct from false`,
  'a tenant with a wrong member count': `
    select from member_counts full join (
      select tenant_id, status, role, count(*) from memberships group by tenant_id, status, role
    ) as real using (tenant_id, status, role) where member_counts.count is distinct from real.count`,
  'a wrong user count':
    'select having (select sum(change) from user_counts) is distinct from (select count(*) from users)',
  'a user without a search term for the email address': `
    select from users where not exists (
      select from user_terms where user_id = users.id and term = users.email collate "C")`,
  'a ledger with a gap': `
    select from license_revisions left join lateral (
      select count(*), max(sequence) from license_ledger where tenant_id = license_revisions.tenant_id
    ) as entries on true where entries.count <> revision or entries.max <> revision`,
  'a seat that is missing from the ledger': `
    select having (select count(*) from seats)
      <> (select count(*) from license_ledger where reason = 'GRANTED')
       - (select count(*) from license_ledger where reason = 'REVOKED')`,
  'a refresh token without a user': `
    select from refresh_tokens left join grants on grants.id = grant_id left join sessions on sessions.id = session_id
    left join users on users.id = sessions.user_id where users.id is null`,
}

/** Throws if the filled data is inconsistent. */
export async function checkConsistency(client: pg.Client): Promise<void> {
  for (const [violation, query] of Object.entries(VIOLATIONS)) {
    const { rowCount } = await client.query(`select from (${query} limit 1) as found`)
    if (rowCount !== 0) throw new Error(`The filled database is inconsistent: there is ${violation}.`)
  }
}
