/** What counts one thing or many. */
export const count = (many: number, one: string, more: string): string =>
  `${many.toLocaleString()} ${many === 1 ? one : more}`

export const countSeats = (many: number): string => count(many, 'seat', 'seats')

/** How many of so many. */
export const usedOf = (assigned: number, purchased: number): string =>
  `${assigned.toLocaleString()} of ${countSeats(purchased)} in use`

export const seatBar = {
  label: (type: string) => `Seats of ${type}`,
  used: usedOf,
  left: (many: number) => `${many.toLocaleString()} left`,
  kept: (many: number) => `${many.toLocaleString()} kept for invitations`,
  full: 'All seats are taken',
  over: (many: number) => `${countSeats(many)} more in use than were bought`,
  dormant: (many: number) => `${countSeats(many)}, not usable`,
}

export const subscriptionStatus = {
  ACTIVE: 'Active',
  TRIALING: 'Trial',
  PAST_DUE: 'Past due',
  CANCELED: 'Canceled',
  EXPIRED: 'Expired',
}
