import type { ColumnType } from 'kysely'

/** A column that the service writes once, when it makes the row. */
type Fixed<T> = ColumnType<T, T, never>

export interface InstanceFactsTable {
  name: Fixed<string>
  created_at: ColumnType<Date, never, never>
}

export interface UsersTable {
  id: Fixed<string>
  email: string
  email_verified: boolean
  display_name: string | null
  given_name: string | null
  family_name: string | null
  password_hash: string | null
  is_super_admin: boolean
  created_at: Fixed<Date>
  updated_at: Date
}

export interface MailMessagesTable {
  id: Fixed<string>
  recipient: Fixed<string>
  sealed: Fixed<Buffer>
  created_at: Fixed<Date>
}

/** The tables as the migrations leave them. */
export interface Tables {
  instance_facts: InstanceFactsTable
  users: UsersTable
  mail_messages: MailMessagesTable
}
