export const members = {
  title: 'Members',
  lead: (tenant: string) => `Who belongs to ${tenant}, and what they may do.`,
  name: 'Name',
  role: 'Role',
  joined: 'Joined',
  nobody: 'Nobody was found',
}
