import { sql } from 'kysely'
import type pg from 'pg'
import { SYSTEM } from '../../src/audit/record.ts'
import type { Tx } from '../../src/db/open.ts'
import { AppError } from '../../src/errors.ts'
import { newId } from '../../src/lib/ids.ts'
import { changeType } from '../../src/licensing/catalogue/service.ts'
import { inBulk } from '../../src/licensing/seats/many.ts'
import {
  change,
  grant,
  grantSeat,
  reserveSeat,
  revoke,
  revokeSeat,
} from '../../src/licensing/seats/service.ts'
import { changeSubscription, subscribe } from '../../src/licensing/subscriptions/service.ts'
import type { TestService } from '../support/service.ts'
import { newCompany } from '../tenants/company.ts'
import type { Outcome } from './property-model.ts'
import { HOUR, MODES, PEOPLE, type Step, TYPES } from './property-steps.ts'

/** The same things done to the real service: a tenant, people, applications and types of a run's own. */
export class World {
  readonly people = Array.from({ length: PEOPLE }, newId).sort()
  readonly applications = MODES.map(newId).sort()
  readonly types = TYPES.map(newId)
  readonly subscriptions = new Map<number, string>()
  tenantId = ''

  readonly service: TestService
  readonly db: pg.Pool

  private constructor(service: TestService, db: pg.Pool) {
    this.service = service
    this.db = db
  }

  static async lay(service: TestService, db: pg.Pool): Promise<World> {
    const world = new World(service, db)
    world.tenantId = (await newCompany(service)).id
    const now = service.ctx.now()
    await db.query(
      `insert into users (id, email, email_verified, created_at, updated_at)
       select id, id || '@people.test', true, $2, $2 from unnest($1::uuid[]) as id`,
      [world.people, now],
    )
    await db.query(
      `insert into applications (id, slug, name, licensing_mode, created_at, updated_at)
       select id, id::text, 'Application ' || place, mode, $3, $3
       from unnest($1::uuid[], $2::text[]) with ordinality as made (id, mode, place)`,
      [world.applications, MODES, now],
    )
    const owners = TYPES.map((application) => world.applications[application])
    await db.query(
      `insert into license_types (id, application_id, slug, name, features, display_order, created_at, updated_at)
       select id, owner, 'type-' || place, 'Type ' || place, jsonb_build_object('f' || place, true, 'no', false),
         place, $3, $3
       from unnest($1::uuid[], $2::uuid[]) with ordinality as made (id, owner, place)`,
      [world.types, owners, now],
    )
    for (let person = 0; person < PEOPLE; person++) await world.admit(person)
    return world
  }

  private person = (index: number): string => this.people[index] ?? ''

  private wish = (person: number, type: number) => ({
    userId: this.person(person),
    applicationId: this.applications[TYPES[type] ?? 0] ?? '',
    licenseTypeId: this.types[type] ?? '',
  })

  private admit = (person: number) =>
    this.db.query(
      `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
       values ($1, $2, $3, 'member', 'ACTIVE', $4, $4, $4)`,
      [newId(), this.tenantId, this.person(person), this.service.ctx.now()],
    )

  private place = (person: number, change: string) =>
    this.db.query(`update memberships set ${change}, updated_at = $3 where tenant_id = $1 and user_id = $2`, [
      ...[this.tenantId, this.person(person), this.service.ctx.now()],
    ])

  private user = (person: number, change: string) =>
    this.db.query(`update users set ${change} where id = $1`, [this.person(person)])

  /** Does a step; the answer is what became of it. */
  async take(step: Step): Promise<Outcome[]> {
    try {
      const outcomes = await this.attempt(step)
      await this.service.ctx.changes.settle()
      return Array.isArray(outcomes) ? outcomes : ['done']
    } catch (error) {
      if (error instanceof AppError) return [toOutcome(error)]
      throw error
    }
  }

  private inTx = <T>(work: (tx: Tx) => Promise<T>) => this.service.ctx.db.transaction().execute(work)

  private attempt(step: Step): Promise<unknown> {
    const { ctx } = this.service
    const granting = { tenantId: this.tenantId, actor: SYSTEM }
    switch (step.do) {
      case 'grant':
        return grant(ctx, granting, this.wish(step.person, step.type)).then(() => undefined)
      case 'change':
        return change(ctx, granting, this.wish(step.person, step.type)).then(() => undefined)
      case 'revoke':
        return revoke(ctx, granting, this.seatKey(step)).then(() => undefined)
      case 'grantMany': {
        const wishes = step.rows.map(({ person, type }) => this.wish(person, type))
        return inBulk(ctx, granting, wishes, grantSeat).then(toOutcomes)
      }
      case 'revokeMany':
        return inBulk(ctx, granting, step.rows.map(this.seatKey), revokeSeat).then(toOutcomes)
      case 'invite':
        return this.invite(step)
      case 'subscribe':
      case 'resell':
        return this.sell(step)
      case 'sell': {
        const named = { id: this.types[step.type] ?? '', change: { status: step.status } }
        return this.inTx((tx) => changeType(ctx, tx, { ...named, source: { actor: SYSTEM } })).then(() => {})
      }
      case 'setMode':
        return this.db.query('update applications set licensing_mode = $2 where id = $1', [
          ...[this.applications[step.application], step.mode],
        ])
      case 'pass':
        return Promise.resolve(this.service.advance(step.hours * HOUR))
      case 'dissolve':
        return this.db.query('delete from tenants where id = $1', [this.tenantId])
      default:
        return this.move(step)
    }
  }

  private seatKey = (row: { person: number; application: number }) => ({
    userId: this.person(row.person),
    applicationId: this.applications[row.application] ?? '',
  })

  private invite({ person, type, hours }: Step & { do: 'invite' }) {
    const { ctx } = this.service
    const now = ctx.now()
    return this.inTx(async (tx) => {
      await sql`select enter_tenant(${this.tenantId}::uuid)`.execute(tx)
      await sql`
        insert into memberships (id, tenant_id, user_id, role, status, invited_until, created_at, updated_at)
        values (${newId()}, ${this.tenantId}, ${this.person(person)}, 'member', 'INVITED',
          ${new Date(now.getTime() + hours * HOUR)}, ${now}, ${now})`.execute(tx)
      await reserveSeat(ctx, tx, { tenantId: this.tenantId, actor: SYSTEM }, this.wish(person, type))
    })
  }

  private async sell(step: Step & { do: 'subscribe' | 'resell' }): Promise<void> {
    const { ctx } = this.service
    const source = { actor: SYSTEM }
    const { seats: quantityPurchased, status, hours } = step
    const currentPeriodEnd = typeof hours === 'number' ? new Date(ctx.now().getTime() + hours * HOUR) : hours
    const terms = { quantityPurchased, status, currentPeriodEnd }
    if (step.do === 'resell') {
      const id = this.subscriptions.get(step.type) ?? ''
      await changeSubscription(ctx, { id, change: terms, source })
      return
    }
    const what = { tenantId: this.tenantId, licenseTypeId: this.types[step.type] ?? '' }
    const draft = { ...terms, ...what, quantityPurchased: step.seats }
    this.subscriptions.set(step.type, (await subscribe(ctx, { draft, source })).id)
  }

  private move(step: Step & { person: number }): Promise<unknown> {
    const { person } = step
    switch (step.do) {
      case 'suspend':
        return this.place(person, `status = 'SUSPENDED'`)
      case 'reactivate':
        return this.place(person, `status = 'ACTIVE'`)
      case 'accept':
        return this.place(person, `status = 'ACTIVE', joined_at = $3, invited_until = null`)
      case 'remove':
        return this.db.query('delete from memberships where tenant_id = $1 and user_id = $2', [
          ...[this.tenantId, this.person(person)],
        ])
      case 'join':
        return this.admit(person)
      case 'leave':
        return this.user(person, 'deletion_requested_at = now()')
      case 'comeBack':
        return this.user(person, 'deletion_requested_at = null')
      case 'erase':
        return this.db.query('delete from users where id = $1', [this.person(person)])
      default:
        return this.user(person, `disabled = ${step.do === 'disable'}`)
    }
  }
}

const toOutcome = ({ code, details }: AppError): Outcome => {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === undefined ? code : `${code} ${reason}`
}

const toOutcomes = ({ result }: { result: ({ result: unknown } | { error: AppError })[] }): Outcome[] =>
  result.map((row) => ('error' in row ? toOutcome(row.error) : 'done'))
