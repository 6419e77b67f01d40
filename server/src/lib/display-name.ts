export interface NameFields {
  display_name: string | null
  given_name: string | null
  family_name: string | null
  email: string
}

/** The display name, else the full name, else the local part of the email address. */
export function toDisplayName({ display_name, given_name, family_name, email }: NameFields): string {
  const full = [given_name, family_name].filter(Boolean).join(' ')
  return display_name ?? (full || (email.split('@')[0] ?? email))
}
