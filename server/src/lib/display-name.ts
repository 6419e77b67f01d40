export interface Named {
  display_name: string | null
  given_name: string | null
  family_name: string | null
  email: string
}

/** What to call a person: what they chose, else their name, else the part of the address before the @. */
export function displayNameOf({ display_name, given_name, family_name, email }: Named): string {
  const full = [given_name, family_name].filter(Boolean).join(' ')
  return display_name ?? (full || (email.split('@')[0] ?? email))
}
