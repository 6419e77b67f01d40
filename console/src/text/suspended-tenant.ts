/** Texts of the pages of a suspended tenant. */
export const suspendedTenant = {
  title: 'This tenant is suspended',
  text: 'Nobody can use it for now. Nothing was deleted. Ask the people who run this instance. Your account and your other tenants are not affected.',
}
