// Generated from docs/openapi.json by sdk/client/bin/generate.mjs. Do not edit.

export type AcceptInvitationRequest = { password?: string; givenName?: string; familyName?: string }

export type AcceptedInvitation = { success: boolean; tenantId: string; tenantName: string }

export type AccountAccess = { superAdmin: boolean; hasPassword: boolean; passwordSignIn: boolean; providers: { name: string; label: string }[] }

export type ActionResult = { success: boolean; message: string }

export type AddMemberRequest = { userId: string; role: 'owner' | 'admin' | 'member' }

export type AddPasskeyRequest = { id: string; rawId: string; type: 'public-key'; response: { clientDataJSON: string; attestationObject: string; transports?: string[] }; name?: string }

export type AddedPasskey = { id: string; name: string; createdAt: string; lastUsedAt: string | null; backedUp: boolean; recoveryCodes?: string[] }

export type AdminTenant = { id: string; name: string; slug: string; settings: Record<string, unknown>; mfaPolicy: 'OPTIONAL' | 'REQUIRED'; memberCount: number; brandingApproved: boolean; emailCodes: boolean; supportAccess: boolean; language: string | null; suspended: boolean; suspendedAt: string | null; createdAt: string; updatedAt: string }

export type AdminTenantPage = { tenants: AdminTenant[]; pagination: CursorPagination }

export type Application = { id: string; name: string; slug: string; trusted: boolean; emailCodes: boolean; signingAlgorithm: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'; licensingMode: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'; accessTokenTtl: number | null; idTokenTtl: number | null; refreshTokenIdleTtl: number | null; refreshTokenTtl: number | null; createdAt: string; updatedAt: string }

export type AuditEntry = { id: string; occurredAt: string; action: string; actor: { kind: 'user' | 'client' | 'system'; id: string | null; displayName: string | null }; clientId: string | null; tenantId: string | null; userId: string | null; email: string | null; ipAddress: string | null; userAgent: string | null; requestId: string | null; details: Record<string, unknown> }

export type AuditPage = { entries: AuditEntry[]; pagination: CursorPagination }

export type BeginTotpRequest = { password?: string }

export type Branding = { displayName: string | null; color: string | null; theme: ('classic' | 'soft' | 'crisp') | null; logoUrl: string | null; updatedAt: string | null }

export type BulkGrantRequest = { grants: { userId: string; applicationId: string; licenseTypeId: string }[] }

export type BulkInviteRequest = { invitations: { email: unknown; role?: 'owner' | 'admin' | 'member'; expiresInDays?: number; applicationId?: string; licenseTypeId?: string }[] }

export type BulkInviteResponse = { created: number; failed: number; results: { email: unknown; statusCode: number; invitation?: CreatedInvitation; error?: string; message?: string; details?: unknown }[] }

export type BulkLicenseResponse = { done: number; failed: number; results: { userId: string; statusCode: number; error?: string; message?: string; details?: unknown; license?: LicenseAssignment }[] }

export type BulkRevokeRequest = { revocations: { userId: string; applicationId: string }[] }

export type ChangeEmailRequest = { newEmail: string; password?: string }

export type ChangePasswordRequest = { currentPassword: string; newPassword: string }

export type Client = { id: string; clientId: string; origin: 'ADMIN' | 'DOCUMENT' | 'REGISTRATION'; applicationId: string; kind: 'SPA' | 'WEB' | 'MACHINE'; name: string; redirectUris: string[]; postLogoutRedirectUris: string[]; allowedOrigins: string[]; scopes: string[]; requireNonce: boolean; userinfoInIdToken: boolean; pkceMethods: ('S256' | 'plain')[]; responseModes: ('query' | 'form_post')[]; requirePushedRequests: boolean; requireSignedRequests: boolean; requireDpop: boolean; deviceFlow: boolean; tokenExchange: boolean; tokenEndpointAuthMethod: 'none' | 'client_secret' | 'private_key_jwt'; jwks: { keys: Record<string, unknown>[] } | null; jwksUri: string | null; securityProfile: 'NONE' | 'FAPI2'; backchannelLogoutUri: string | null; disabled: boolean; tenantId: string | null; secrets: { id: string; createdAt: string }[]; createdAt: string; updatedAt: string }

export type ClientInformation = { client_id: string; client_id_issued_at: number; client_secret?: string; client_secret_expires_at?: number; registration_access_token: string; registration_client_uri: string; redirect_uris: string[]; token_endpoint_auth_method: string; grant_types: string[]; response_types: string[]; client_name: string; scope: string; post_logout_redirect_uris?: string[]; jwks?: { keys: Record<string, unknown>[] }; jwks_uri?: string; backchannel_logout_uri?: string; backchannel_logout_session_required?: boolean; dpop_bound_access_tokens: boolean; require_pushed_authorization_requests: boolean; require_signed_request_object: boolean }

export type ClientMetadata = { redirect_uris: string[]; token_endpoint_auth_method?: string; grant_types?: string[]; response_types?: string[]; client_name?: string; scope?: string; post_logout_redirect_uris?: string[]; jwks?: { keys: Record<string, unknown>[] }; jwks_uri?: string; dpop_bound_access_tokens?: boolean; require_pushed_authorization_requests?: boolean; backchannel_logout_uri?: string; backchannel_logout_session_required?: boolean; require_signed_request_object?: boolean; software_statement?: string }

export type ClientMetadataUpdate = { client_id: string; client_secret?: string; redirect_uris: string[]; token_endpoint_auth_method?: string; grant_types?: string[]; response_types?: string[]; client_name?: string; scope?: string; post_logout_redirect_uris?: string[]; jwks?: { keys: Record<string, unknown>[] }; jwks_uri?: string; dpop_bound_access_tokens?: boolean; require_pushed_authorization_requests?: boolean; backchannel_logout_uri?: string; backchannel_logout_session_required?: boolean; require_signed_request_object?: boolean; software_statement?: string }

export type ConfirmPasswordRequest = { password?: string }

export type ConfirmTotpRequest = { code: string }

export type Consent = { applicationId: string; applicationName: string; logoUrl: string | null; tenantId: string | null; tenantName: string | null; scopes: string[]; grantedAt: string; lastUsedAt: string | null }

export type ConsentList = { consents: Consent[] }

export type CreateAdminTenantRequest = { name: string; slug?: string; mfaPolicy?: 'OPTIONAL' | 'REQUIRED'; settings?: Record<string, unknown>; ownerId?: string; ownerEmail?: string }

export type CreateInvitationRequest = { email: string; role?: 'owner' | 'admin' | 'member'; expiresInDays?: number; applicationId?: string; licenseTypeId?: string }

export type CreateLicenseTypeRequest = { applicationId: string; name: string; slug: string; description?: string | null; features?: Record<string, boolean>; displayOrder?: number }

export type CreateSubscriptionRequest = { licenseTypeId: string; quantityPurchased: number; status?: 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED'; currentPeriodEnd?: string | null }

export type CreateTenantRequest = { name: string; slug?: string }

export type CreateUserRequest = { email: string; givenName?: string; familyName?: string; displayName?: string; password?: string; passwordHash?: string; passwordSignIn?: boolean; superAdmin?: boolean; emailVerified?: boolean; sendPasswordLink?: boolean }

export type CreateWebhookRequest = { url: string; events: string[]; description?: string | null; disabled?: boolean }

export type CreatedAdminTenant = { id: string; name: string; slug: string; settings: Record<string, unknown>; mfaPolicy: 'OPTIONAL' | 'REQUIRED'; memberCount: number; brandingApproved: boolean; emailCodes: boolean; supportAccess: boolean; language: string | null; suspended: boolean; suspendedAt: string | null; createdAt: string; updatedAt: string; invitation: CreatedInvitation | null }

export type CreatedClient = { id: string; clientId: string; origin: 'ADMIN' | 'DOCUMENT' | 'REGISTRATION'; applicationId: string; kind: 'SPA' | 'WEB' | 'MACHINE'; name: string; redirectUris: string[]; postLogoutRedirectUris: string[]; allowedOrigins: string[]; scopes: string[]; requireNonce: boolean; userinfoInIdToken: boolean; pkceMethods: ('S256' | 'plain')[]; responseModes: ('query' | 'form_post')[]; requirePushedRequests: boolean; requireSignedRequests: boolean; requireDpop: boolean; deviceFlow: boolean; tokenExchange: boolean; tokenEndpointAuthMethod: 'none' | 'client_secret' | 'private_key_jwt'; jwks: { keys: Record<string, unknown>[] } | null; jwksUri: string | null; securityProfile: 'NONE' | 'FAPI2'; backchannelLogoutUri: string | null; disabled: boolean; tenantId: string | null; secrets: { id: string; createdAt: string }[]; createdAt: string; updatedAt: string; clientSecret: string | null }

export type CreatedInvitation = { id: string; email: string; role: 'owner' | 'admin' | 'member'; status: 'PENDING' | 'ACCEPTED' | 'REVOKED' | 'EXPIRED'; expiresAt: string }

export type CreatedRegistrationToken = { id: string; name: string; redirectHosts: string[] | null; maxUses: number; uses: number; expiresAt: string; createdAt: string; registrationToken: string }

export type CreatedTenant = { id: string; name: string; slug: string; createdAt: string }

export type CreatedWebhook = { id: string; url: string; events: string[]; description: string | null; disabled: boolean; disabledAt: string | null; disabledReason: ('REQUESTED' | 'GONE' | 'UNREACHABLE') | null; previousSecretUntil: string | null; createdAt: string; updatedAt: string; secret: string }

export type CursorPagination = { page: number; limit: number; total: number; pages: number; totalIsExact: boolean; next: string | null }

export type DailyLicenseUsage = { day: string; purchased: number; assigned: number }

export type DailySignIns = { day: string; succeeded: number; failed: number }

export type DeleteAccountRequest = { confirmation: string; password?: string }

export type DeviceAuthorizationRequest = { client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; scope?: string; tenant?: string; resource?: string }

export type DeviceAuthorizationResponse = { device_code: string; user_code: string; verification_uri: string; verification_uri_complete: string; expires_in: number; interval: number }

export type EndedSessions = { success: boolean; message: string; count: number }

export type EndedUserSessions = { success: boolean; message: string; count: number }

export type ErrorResponse = { statusCode: number; error: string; message: string; requestId: string; details?: unknown }

export type EventPage = { events: LatchkeyEvent[]; next: number; head: number }

export type FeatureCheck = { hasFeature: boolean }

export type ForgotPasswordRequest = { email: string }

export type GrantLicenseRequest = { userId: string; applicationId: string; licenseTypeId: string }

export type Health = { status: string }

export type InstanceHealth = { database: 'ok'; mailWaiting: number; jobsWaiting: number; webhooksWaiting: number; webhooksDisabled: number; auditBehind: number; signingKey: { kid: string; ageDays: number } | null }

export type InstanceOverview = { version: string; tokenLifetimes: { accessTokenTtl: number; idTokenTtl: number; refreshTokenIdleTtl: number; refreshTokenTtl: number }; users: { total: number; disabled: number; deletionRequested: number }; tenants: { total: number; suspended: number }; applications: number; clients: number; sessions: number; signIns: DailySignIns[]; seats: { purchased: number; assigned: number }; health: InstanceHealth }

export type IntrospectTokenRequest = { token?: string; token_type_hint?: string; client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string }

export type IntrospectionResponse = { active: boolean; iss?: string; sub?: string; aud?: string; client_id?: string; scope?: string; token_type?: string; cnf?: { jkt: string }; exp?: number; iat?: number; jti?: string; act?: { sub: string; act?: Record<string, unknown> }; tenant_id?: string; tenant_roles?: string[]; license?: { type: string; name: string; features: string[] } }

export type InvitationDetails = { tenant: { id: string; name: string; slug: string }; role: 'owner' | 'admin' | 'member'; email: string; invitedBy: { displayName: string } | null; expiresAt: string; hasAccount: boolean }

export type InvitationList = { invitations: { id: string; email: string; role: 'owner' | 'admin' | 'member'; status: 'PENDING' | 'ACCEPTED' | 'REVOKED' | 'EXPIRED'; expiresAt: string; createdAt: string; invitedBy: { id: string; displayName: string } | null }[] }

export type JsonWebKeySet = { keys: { kty: string; kid: string; use: string; alg: string; n?: string; e?: string; crv?: string; x?: string; y?: string }[] }

export type LatchkeyEvent = { id: string; position: number; type: 'user.registered' | 'user.registration_refused' | 'user.created' | 'user.imported' | 'user.profile_changed' | 'user.changed' | 'user.disabled' | 'user.enabled' | 'user.password_changed' | 'user.password_reset_requested' | 'user.sign_in_code_requested' | 'user.password_reset_forced' | 'user.password_reset' | 'user.email_verified' | 'user.email_change_requested' | 'user.email_changed' | 'user.totp_enabled' | 'user.totp_disabled' | 'user.recovery_codes_replaced' | 'user.recovery_code_used' | 'user.passkey_added' | 'user.passkey_removed' | 'user.mfa_reset' | 'user.sso_linked' | 'user.sso_unlinked' | 'user.deletion_requested' | 'user.restored' | 'user.erased' | 'user.consented' | 'user.consent_withdrawn' | 'user.device_allowed' | 'user.device_refused' | 'user.data_exported' | 'session.started' | 'session.refused' | 'session.second_factor_shown' | 'session.second_factor_refused' | 'session.token_revoked' | 'session.token_reused' | 'session.ended' | 'session.others_ended' | 'session.all_ended' | 'tenant.created' | 'tenant.changed' | 'tenant.branding_changed' | 'tenant.mail_template_changed' | 'tenant.suspended' | 'tenant.reactivated' | 'support_access.started' | 'support_access.ended' | 'tenant.deleted' | 'member.joined' | 'member.added' | 'member.role_changed' | 'member.suspended' | 'member.reactivated' | 'member.removed' | 'member.left' | 'member.returned' | 'invitation.created' | 'invitation.resent' | 'invitation.revoked' | 'invitation.accepted' | 'invitation.expired' | 'license.granted' | 'license.revoked' | 'license.changed' | 'license_type.created' | 'license_type.changed' | 'license_type.deleted' | 'subscription.created' | 'subscription.changed' | 'subscription.lapsed' | 'subscription.deleted'; timestamp: string; data: { tenantId: string | null; userId: string | null; email: string | null; actor: { kind: 'user' | 'client' | 'system'; id: string | null }; details: Record<string, unknown> } }

export type LedgerEntry = { sequence: number; occurredAt: string; actor: string | null; reason: 'GRANTED' | 'REVOKED' | 'CHANGED' | 'RESERVED' | 'ACCEPTED' | 'SUSPENDED' | 'REACTIVATED' | 'ENDED' | 'SUBSCRIBED' | 'SUBSCRIPTION_CHANGED' | 'SUBSCRIPTION_ENDED'; subject: 'seat' | 'subscription'; subjectId: string; userId: string | null; applicationId: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }

export type LicenseAssignment = { id: string; userId: string; licenseTypeId: string; licenseTypeName: string; assignedAt: string }

export type LicenseCheck = { hasLicense: boolean; licenseType: string | null; licenseTypeName: string | null; features: string[]; assignedAt?: string }

export type LicenseCount = { count: number }

export type LicenseExplanation = { hasLicense: boolean; hasFeature?: boolean; decidedBy: 'TENANT' | 'USER' | 'MEMBERSHIP' | 'SUBSCRIPTION' | 'SEAT' | 'FEATURE'; message: string; steps: { check: 'TENANT' | 'USER' | 'MEMBERSHIP' | 'MFA_POLICY' | 'SUBSCRIPTION' | 'SEAT' | 'FEATURE'; ok: boolean; detail: string }[]; remedy: { method: string; path: string; body?: Record<string, unknown> } | null }

export type LicenseLedger = { entries: LedgerEntry[]; next: number | null }

export type LicenseOverview = { tenantId: string; tenantName: string; totalSeatsOwned: number; totalSeatsAssigned: number; totalSeatsAvailable: number; subscriptions: SubscriptionEntry[] }

export type LicenseType = { id: string; applicationId: string; slug: string; name: string; description: string | null; features: Record<string, boolean>; displayOrder: number; status: 'ACTIVE' | 'ARCHIVED'; createdAt: string; updatedAt: string }

export type LicenseTypeCheck = { licenseType: string | null }

export type LicenseUsage = { days: DailyLicenseUsage[] }

export type LicensedApplication = { id: string; name: string; slug: string; licensingMode: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'; seats: { purchased: number; assigned: number; available: number }; licenseTypes: LicensedType[] }

export type LicensedType = { id: string; slug: string; name: string; description: string | null; features: Record<string, boolean>; subscriptionId: string | null; status: ('ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED') | null; currentPeriodEnd: string | null; purchased: number; assigned: number; available: number }

export type LicensedUser = { userId: string; email: string; givenName: string | null; familyName: string | null; licenseType: string; licenseTypeName: string; assignedAt: string }

export type LoginRequest = { email: string; password: string }

export type LoginResponse = { user: SignedInUser; session: { id: string } }

export type LogoutDelivery = { id: string; status: 'PENDING' | 'DELIVERED' | 'FAILED'; userId: string; sessionId: string; attempts: number; lastStatus: number | null; lastError: string | null; nextAttemptAt: string | null; createdAt: string; finishedAt: string | null }

export type LogoutDeliveryPage = { deliveries: LogoutDelivery[]; next: number | null }

export type MailPreview = { subject: string; text: string; html: string }

export type MailTemplate = { kind: string; variables: string[]; subject: string | null; heading: string | null; text: string | null; button: string | null; defaults: MailTemplateDefaults; note: string | null; updatedAt: string | null }

export type MailTemplateDefaults = { subject: string; heading: string; text: string; button: string }

export type MailTemplateDraft = { subject?: string | null; heading?: string | null; text?: string | null; button?: string | null; language?: 'en' | 'de' | 'fr' | 'es' | 'pt-BR' | 'ja' | 'ar' }

export type MailTemplateList = { mailTemplates: MailTemplate[] }

export type MailTemplateTexts = { subject?: string | null; heading?: string | null; text?: string | null; button?: string | null }

export type MailboxMessage = { id: string; to: string; subject: string; text: string; html: string; createdAt: string }

export type Member = { id: string; userId: string; status: 'ACTIVE' | 'INVITED' | 'SUSPENDED'; role: 'owner' | 'admin' | 'member'; joinedAt: string | null; user: { email: string; displayName: string; pictureUrl: string | null } }

export type MemberPage = { members: Member[]; pagination: Pagination }

export type MemberSeat = { userId: string; membershipId: string; displayName: string; email: string; role: 'owner' | 'admin' | 'member'; license: { licenseTypeId: string; slug: string; name: string; assignedAt: string } | null }

export type MfaOverview = { mfaEnabled: boolean; totp: boolean; passkeys: number; recoveryCodesLeft: number }

export type MfaRequired = { mfaRequired: true; methods: ('totp' | 'passkey' | 'recovery_code')[] }

export type OAuthErrorResponse = { error: string; error_description: string }

export type OwnMembership = { tenantId: string; tenantName: string; tenantSlug: string; role: string; status: string }

export type OwnTenants = { tenants: { id: string; name: string; slug: string; role: 'owner' | 'admin' | 'member'; memberCount: number; suspended?: boolean; createdAt: string }[] }

export type Pagination = { page: number; limit: number; total: number; pages: number }

export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null; backedUp: boolean }

export type PasskeyCreationOptions = { rp: { id?: string; name: string }; user: { id: string; name: string; displayName: string }; challenge: string; pubKeyCredParams: { type: string; alg: number }[]; timeout?: number; excludeCredentials?: { id: string; type: string; transports?: string[] }[]; authenticatorSelection?: { residentKey?: string; requireResidentKey?: boolean; userVerification?: string }; attestation?: string; extensions?: { credProps?: boolean } }

export type PasskeyOptionsRequest = { passwordless?: boolean }

export type PasskeyRequestOptions = { challenge: string; rpId?: string; timeout?: number; allowCredentials?: { id: string; type: string; transports?: string[] }[]; userVerification?: string }

export type PasskeySignInRequest = { id: string; rawId: string; type: 'public-key'; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } }

export type PersonalData = { exportedAt: string; profile: { id: string; email: string; emailVerified: boolean; username: string | null; displayName: string; givenName: string | null; familyName: string | null; middleName: string | null; nickname: string | null; pictureUrl: string | null; website: string | null; gender: string | null; birthdate: string | null; zoneinfo: string; locale: string; phone: string | null; phoneVerified: boolean; mfaEnabled: boolean; createdAt: string; updatedAt: string; supportAccess?: SupportAccess }; memberships: OwnMembership[]; sessions: { id: string; userAgent: string; ipAddress: string; createdAt: string; lastActive: string; authenticatedAt: string; methods: string[] }[]; ssoLinks: { provider: string; issuer: string; subject: string; email: string | null; displayName: string | null; avatarUrl: string | null; linkedAt: string; lastUsedAt: string }[]; mfa: { totp: boolean; passkeys: { id: string; name: string; createdAt: string; lastUsedAt: string | null }[]; recoveryCodesLeft: number }; consents: { application: string; tenant: string | null; scopes: string[]; grantedAt: string; lastUsedAt: string | null }[]; licenses: { tenant: string; application: string; licenseType: string; status: 'ASSIGNED' | 'RESERVED' | 'PARKED'; assignedAt: string }[]; auditEntries: { id: string; occurredAt: string; action: string; by: string; tenantId: string | null; details: Record<string, unknown>; personal: Record<string, unknown> }[]; auditEntriesTruncated: boolean }

export type Profile = { id: string; email: string; emailVerified: boolean; username: string | null; displayName: string; givenName: string | null; familyName: string | null; middleName: string | null; nickname: string | null; pictureUrl: string | null; website: string | null; gender: string | null; birthdate: string | null; zoneinfo: string; locale: string; phone: string | null; phoneVerified: boolean; mfaEnabled: boolean; createdAt: string; updatedAt: string; memberships: OwnMembership[]; supportAccess?: SupportAccess }

export type ProviderMetadata = { issuer: string; authorization_endpoint: string; token_endpoint: string; userinfo_endpoint: string; jwks_uri: string; end_session_endpoint: string; revocation_endpoint: string; introspection_endpoint: string; registration_endpoint?: string; pushed_authorization_request_endpoint?: string; device_authorization_endpoint?: string; scopes_supported: string[]; response_types_supported: string[]; response_modes_supported: string[]; grant_types_supported: string[]; token_endpoint_auth_methods_supported: string[]; introspection_endpoint_auth_methods_supported: string[]; revocation_endpoint_auth_methods_supported: string[]; token_endpoint_auth_signing_alg_values_supported?: string[]; introspection_endpoint_auth_signing_alg_values_supported?: string[]; revocation_endpoint_auth_signing_alg_values_supported?: string[]; subject_types_supported: string[]; id_token_signing_alg_values_supported: string[]; code_challenge_methods_supported: string[]; dpop_signing_alg_values_supported?: string[]; backchannel_logout_supported?: boolean; backchannel_logout_session_supported?: boolean; claims_supported: string[]; ui_locales_supported: string[]; request_parameter_supported?: boolean; request_object_signing_alg_values_supported?: string[]; client_id_metadata_document_supported?: boolean; request_uri_parameter_supported: boolean; authorization_response_iss_parameter_supported: boolean }

export type PushedAuthorizationRequest = { client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; response_type?: string; redirect_uri?: string; scope?: string; state?: string; nonce?: string; code_challenge?: string; code_challenge_method?: string; resource?: string; request?: string } & Record<string, string>

export type PushedAuthorizationResponse = { request_uri: string; expires_in: number }

export type ReauthenticationRequest = { password?: string }

export type RecoveryCodes = { recoveryCodes: string[] }

export type RegisterRequest = { email: string; password: string; givenName?: string; familyName?: string; displayName?: string }

export type RegisterResponse = { user: SignedInUser }

export type RegistrationToken = { id: string; name: string; redirectHosts: string[] | null; maxUses: number; uses: number; expiresAt: string; createdAt: string }

export type ResetPasswordRequest = { token: string; newPassword: string }

export type Resource = { id: string; applicationId: string; name: string; uri: string; scopes: string[]; allowedClients: string[]; allowDynamicClients: boolean; createdAt: string; updatedAt: string }

export type RevokeLicenseRequest = { userId: string; applicationId: string }

export type RevokeTokenRequest = { token: string; token_type_hint?: string; client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string }

export type RotateKeyRequest = { leaked?: boolean; immediately?: boolean }

export type RotatedSigningKeys = { kid: string; alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'; state: 'upcoming' | 'signing' | 'published' | 'retired'; createdAt: string; activatesAt: string; retiresAt: string | null; others?: SigningKey[] }

export type RotatedWebhookSecret = { secret: string; previousSecretUntil: string }

export type SeatPage = { seats: MemberSeat[]; pagination: Pagination }

export type Session = { id: string; userAgent: string; ipAddress: string; location: string; lastActive: string; createdAt: string; isCurrent: boolean }

export type SignedInUser = { id: string; email: string; emailVerified: boolean; displayName: string; givenName: string | null; familyName: string | null }

export type SigningKey = { kid: string; alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'; state: 'upcoming' | 'signing' | 'published' | 'retired'; createdAt: string; activatesAt: string; retiresAt: string | null }

export type SsoLink = { provider: string; email: string | null; displayName: string | null; avatarUrl: string | null; linkedAt: string; lastUsedAt: string }

export type SsoLinkRequest = { provider: string; redirectUri?: string; password?: string }

export type SsoLinkResponse = { url: string }

export type SsoLinks = { links: SsoLink[] }

export type StartSupportAccessRequest = { reason: string; minutes: number }

export type StartedSupportAccess = { id: string; url: string; endsAt: string }

export type Subscription = { id: string; applicationId: string; applicationName: string; licenseTypeId: string; licenseTypeName: string; quantityPurchased: number; quantityAssigned: number; quantityAvailable: number; status: 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED'; licenseTypeSlug: string; currentPeriodStart: string; currentPeriodEnd: string | null; createdAt: string }

export type SubscriptionEntry = { applicationId: string; applicationName: string; licenseTypeId: string; licenseTypeName: string; quantityPurchased: number; quantityAssigned: number; quantityAvailable: number; status: 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED' }

export type SuccessResponse = { success: boolean }

export type SupportAccess = { operatorId: string; operatorName: string; tenantId: string; tenantName: string; endsAt: string }

export type Tenant = { id: string; name: string; slug: string; settings: Record<string, unknown>; mfaPolicy: 'OPTIONAL' | 'REQUIRED'; supportAccess?: boolean; language?: string; memberCount: number; createdAt: string; updatedAt: string }

export type TenantLicenses = { applications: LicensedApplication[] }

export type TokenRequest = { grant_type?: string; client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; code?: string; redirect_uri?: string; code_verifier?: string; refresh_token?: string; device_code?: string; scope?: string; tenant?: string; resource?: string; subject_token?: string; subject_token_type?: string; requested_token_type?: string; audience?: string; actor_token?: string; actor_token_type?: string }

export type TokenResponse = { access_token: string; token_type: 'Bearer' | 'DPoP'; expires_in: number; refresh_token?: string; id_token?: string; scope: string; issued_token_type?: string }

export type TotpEnrollment = { secret: string; otpauthUrl: string; qrCode: string }

export type UpdateAdminTenantRequest = { name?: string; settings?: Record<string, unknown>; mfaPolicy?: 'OPTIONAL' | 'REQUIRED'; language?: ('en' | 'de' | 'fr' | 'es' | 'pt-BR' | 'ja' | 'ar') | null; slug?: string; brandingApproved?: boolean; emailCodes?: boolean; suspended?: boolean }

export type UpdateBrandingRequest = { displayName?: string | null; color?: string | null; theme?: ('classic' | 'soft' | 'crisp') | null; logo?: string | null }

export type UpdateLicenseTypeRequest = { name?: string; slug?: string; description?: string | null; features?: Record<string, boolean>; displayOrder?: number; status?: 'ACTIVE' | 'ARCHIVED' }

export type UpdateMemberRequest = { role?: 'owner' | 'admin' | 'member'; status?: 'ACTIVE' | 'SUSPENDED' }

export type UpdateProfileRequest = { displayName?: string; givenName?: string; familyName?: string; middleName?: string; nickname?: string; pictureUrl?: string; website?: string; gender?: string; birthdate?: string; zoneinfo?: string; locale?: string }

export type UpdateSubscriptionRequest = { quantityPurchased?: number; status?: 'ACTIVE' | 'TRIALING' | 'CANCELED' | 'PAST_DUE' | 'EXPIRED'; currentPeriodEnd?: string | null }

export type UpdateTenantRequest = { name?: string; settings?: Record<string, unknown>; mfaPolicy?: 'OPTIONAL' | 'REQUIRED'; supportAccess?: boolean; language?: ('en' | 'de' | 'fr' | 'es' | 'pt-BR' | 'ja' | 'ar') | null }

export type UpdateUserRequest = { disabled?: boolean; givenName?: string; familyName?: string; displayName?: string; emailVerified?: boolean; superAdmin?: boolean; passwordSignIn?: boolean }

export type UpdateWebhookRequest = { url?: string; events?: string[]; description?: string | null; disabled?: boolean }

export type UpdatedMember = { id: string; userId: string; status: 'ACTIVE' | 'INVITED' | 'SUSPENDED'; role: 'owner' | 'admin' | 'member'; updatedAt: string }

export type UpdatedProfile = { id: string; email: string; displayName: string; givenName: string | null; familyName: string | null; middleName: string | null; updatedAt: string }

export type UpdatedTenant = { id: string; name: string; slug: string; settings: Record<string, unknown>; mfaPolicy: 'OPTIONAL' | 'REQUIRED'; supportAccess?: boolean; language?: string; updatedAt: string }

export type User = { id: string; email: string; emailVerified: boolean; displayName: string; givenName: string | null; familyName: string | null; superAdmin: boolean; disabled: boolean; passwordSignIn: boolean; hasPassword: boolean; mfaEnabled: boolean; deletionRequestedAt: string | null; erasedAt: string | null; createdAt: string; updatedAt: string; lastSignInAt: string | null }

export type UserDetails = { id: string; email: string; emailVerified: boolean; displayName: string; givenName: string | null; familyName: string | null; superAdmin: boolean; disabled: boolean; passwordSignIn: boolean; hasPassword: boolean; mfaEnabled: boolean; deletionRequestedAt: string | null; erasedAt: string | null; createdAt: string; updatedAt: string; lastSignInAt: string | null; memberships: UserMembership[]; sessionCount: number }

export type UserInfo = { sub: string; name?: string; given_name?: string; family_name?: string; middle_name?: string; nickname?: string; picture?: string; website?: string; gender?: string; birthdate?: string; zoneinfo?: string; locale?: string; updated_at?: number; email?: string; email_verified?: boolean }

export type UserInfoRequest = { access_token?: string }

export type UserMembership = { tenantId: string; tenantName: string; tenantSlug: string; role: string; status: string }

export type UserPage = { users: User[]; pagination: CursorPagination }

export type VerifyEmailRequest = { token: string; password?: string }

export type VerifyMfaRequest = { code: string }

export type Webhook = { id: string; url: string; events: string[]; description: string | null; disabled: boolean; disabledAt: string | null; disabledReason: ('REQUESTED' | 'GONE' | 'UNREACHABLE') | null; previousSecretUntil: string | null; createdAt: string; updatedAt: string }

export type WebhookDelivery = { id: string; status: 'PENDING' | 'DELIVERED' | 'FAILED'; event: { id: string; type: string; position: number }; attempts: number; lastStatus: number | null; lastError: string | null; nextAttemptAt: string | null; createdAt: string; finishedAt: string | null }

export type WebhookDeliveryPage = { deliveries: WebhookDelivery[]; next: number | null }

export type WebhookList = { webhooks: Webhook[] }

export type WebhookReplay = { count: number; next: number | null }

export type WebhookReplayRequest = { after?: number; from?: string; to?: string; types?: string[] }

export type WithdrawnConsents = { success: boolean; message: string; count: number }

/** The input and reply types of each route. */
export interface Operations {
  /** What this provider offers, and where */
  'GET /.well-known/openid-configuration': {
    reply: ProviderMetadata
  }
  /** What this provider offers, and where */
  'GET /.well-known/oauth-authorization-server': {
    reply: ProviderMetadata
  }
  /** The public keys that verify our tokens */
  'GET /api/oauth/jwks': {
    reply: JsonWebKeySet
  }
  /** Exchange a code, a refresh token, client credentials, a device code or an access token for tokens */
  'POST /api/oauth/token': {
    body: TokenRequest
    reply: TokenResponse
  }
  /** Store an authorization request, and get a reference to it for the browser */
  'POST /api/oauth/par': {
    body: PushedAuthorizationRequest
    reply: PushedAuthorizationResponse
  }
  /** Start the sign-in of a device without a browser */
  'POST /api/oauth/device_authorization': {
    body: DeviceAuthorizationRequest
    reply: DeviceAuthorizationResponse
  }
  /** The claims of the token holder, as far as the granted scopes allow */
  'GET /api/oauth/userinfo': {
    reply: UserInfo
  }
  /** The same, with the token in the header or in a form */
  'POST /api/oauth/userinfo': {
    body: UserInfoRequest | undefined
    reply: UserInfo
  }
  /** End a token; a refresh token takes its family along */
  'POST /api/oauth/revoke': {
    body: RevokeTokenRequest
    reply: SuccessResponse
  }
  /** Whether a token that the client may see is alive, and whose it is */
  'POST /api/oauth/introspect': {
    body: IntrospectTokenRequest
    reply: IntrospectionResponse
  }
  /** Registers the client that calls (RFC 7591) */
  'POST /api/oauth/register': {
    body: ClientMetadata
    reply: ClientInformation
  }
  /** Shows a client its registration (RFC 7592) */
  'GET /api/oauth/register/{clientId}': {
    path: { clientId: string }
    reply: ClientInformation
  }
  /** Replaces the metadata of the client that calls */
  'PUT /api/oauth/register/{clientId}': {
    path: { clientId: string }
    body: ClientMetadataUpdate
    reply: ClientInformation
  }
  /** Deletes the client that calls, and its tokens */
  'DELETE /api/oauth/register/{clientId}': {
    path: { clientId: string }
    reply: null
  }
  /** Starts support access: the caller, a Super Admin, acts as the member for a while */
  'POST /api/admin/tenants/{id}/members/{userId}/support-sessions': {
    path: { id: string; userId: string }
    body: StartSupportAccessRequest
    reply: StartedSupportAccess
  }
  /** Ends the support access of the operator who acts as you with this token */
  'DELETE /api/users/me/support-session': {
    reply: ActionResult
  }
  /** Sign in with a password; sets the session cookie, or asks for a second factor */
  'POST /api/auth/login': {
    body: LoginRequest
    reply: LoginResponse | MfaRequired
  }
  /** Show a second factor after the password: a code of the authenticator app, or a recovery code */
  'POST /api/auth/mfa': {
    body: VerifyMfaRequest
    reply: LoginResponse | MfaRequired
  }
  /** Undo the deletion of an account while there is time, and sign in */
  'POST /api/auth/restore': {
    body: LoginRequest
    reply: LoginResponse | MfaRequired
  }
  /** End the session of the cookie, and every token that came from it */
  'POST /api/auth/logout': {
    reply: ActionResult
  }
  /** Make an account; a mail asks to confirm the address */
  'POST /api/auth/register': {
    body: RegisterRequest
    reply: RegisterResponse
  }
  /** Confirm an email address with the token of the mail */
  'POST /api/auth/email/verify': {
    body: VerifyEmailRequest
    reply: ActionResult
  }
  /** Ask for a mail with a link to choose a new password */
  'POST /api/auth/password/forgot': {
    body: ForgotPasswordRequest
    reply: ActionResult
  }
  /** Choose a new password with the token of the mail; ends all sessions */
  'POST /api/auth/password/reset': {
    body: ResetPasswordRequest
    reply: ActionResult
  }
  /** What the browser needs to ask for a passkey: as second factor after the password, else in its place */
  'POST /api/auth/passkey/options': {
    body: PasskeyOptionsRequest | undefined
    reply: PasskeyRequestOptions
  }
  /** Sign in with a passkey; sets the session cookie */
  'POST /api/auth/passkey': {
    body: PasskeySignInRequest
    reply: LoginResponse | MfaRequired
  }
  /** Shows your profile and the tenants you belong to */
  'GET /api/users/me': {
    reply: Profile
  }
  /** Changes what you say about yourself; an empty name or address clears it */
  'PATCH /api/users/me': {
    body: UpdateProfileRequest
    reply: UpdatedProfile
  }
  /** Delete the account: every session ends at once, and after 30 days nothing is left of it */
  'DELETE /api/users/me': {
    body: DeleteAccountRequest
    reply: ActionResult
  }
  /** Shows what you are on this instance and by which ways you may sign in */
  'GET /api/users/me/access': {
    reply: AccountAccess
  }
  /** What is set up beside the password */
  'GET /api/users/me/mfa': {
    reply: MfaOverview
  }
  /** Begin to set up an authenticator app; it counts once a code has confirmed it */
  'POST /api/users/me/mfa/totp': {
    body: BeginTotpRequest | undefined
    reply: TotpEnrollment
  }
  /** Remove the authenticator app */
  'DELETE /api/users/me/mfa/totp': {
    body: ConfirmPasswordRequest | undefined
    reply: ActionResult
  }
  /** Confirm the authenticator app with its first code; answers the recovery codes */
  'POST /api/users/me/mfa/totp/verify': {
    body: ConfirmTotpRequest
    reply: RecoveryCodes
  }
  /** Make new recovery codes; the old ones end */
  'POST /api/users/me/mfa/recovery-codes': {
    body: ConfirmPasswordRequest | undefined
    reply: RecoveryCodes
  }
  /** Begin to add a passkey: what the browser needs to make one; good for five minutes */
  'POST /api/users/me/mfa/passkeys/options': {
    body: ReauthenticationRequest | undefined
    reply: PasskeyCreationOptions
  }
  /** Add the passkey that the browser has made; the first second factor comes with recovery codes */
  'POST /api/users/me/mfa/passkeys': {
    body: AddPasskeyRequest
    reply: AddedPasskey
  }
  /** List your passkeys */
  'GET /api/users/me/mfa/passkeys': {
    reply: { passkeys: Passkey[] }
  }
  /** Remove a passkey */
  'DELETE /api/users/me/mfa/passkeys/{id}': {
    path: { id: string }
    body: ReauthenticationRequest | undefined
    reply: ActionResult
  }
  /** Lists where you are signed in */
  'GET /api/users/me/sessions': {
    reply: { sessions: Session[] }
  }
  /** Ends all your sessions but the current one */
  'DELETE /api/users/me/sessions': {
    reply: EndedSessions
  }
  /** Ends one of your sessions and every token that came from it */
  'DELETE /api/users/me/sessions/{sessionId}': {
    path: { sessionId: string }
    reply: ActionResult
  }
  /** Lists which third-party applications you have allowed what */
  'GET /api/users/me/consents': {
    reply: ConsentList
  }
  /** Withdraws what you have allowed all applications; their tokens end */
  'DELETE /api/users/me/consents': {
    reply: WithdrawnConsents
  }
  /** Withdraws what you have allowed an application, in every tenant or in one; its tokens end */
  'DELETE /api/users/me/consents/{applicationId}': {
    path: { applicationId: string }
    query: { tenantId?: string }
    reply: ActionResult
  }
  /** Lists the accounts of sign-in providers that are linked to yours */
  'GET /api/users/me/sso': {
    reply: SsoLinks
  }
  /** Begins to link an account of a provider; you must be signed in in the browser you go there with */
  'POST /api/users/me/sso/link': {
    body: SsoLinkRequest
    reply: SsoLinkResponse
  }
  /** Unlinks the account of a provider */
  'DELETE /api/users/me/sso/{provider}': {
    path: { provider: string }
    reply: ActionResult
  }
  /** Change the password; ends all other sessions */
  'POST /api/users/me/password': {
    body: ChangePasswordRequest
    reply: ActionResult
  }
  /** Ask for another email address; it changes once the link mailed to it is followed */
  'POST /api/users/me/email': {
    body: ChangeEmailRequest
    reply: ActionResult
  }
  /** Mail another link to confirm your address, in place of the one before */
  'POST /api/users/me/email/verification': {
    reply: ActionResult
  }
  /** Exports all personal data of your account */
  'GET /api/users/me/export': {
    reply: PersonalData
  }
  /** Lists the tenants that the caller is an active member of */
  'GET /api/tenants': {
    reply: OwnTenants
  }
  /** Creates a tenant; the caller becomes its owner */
  'POST /api/tenants': {
    body: CreateTenantRequest
    reply: CreatedTenant
  }
  /** Shows a tenant */
  'GET /api/tenants/{id}': {
    path: { id: string }
    reply: Tenant
  }
  /** Changes the name, the settings, the MFA policy or the default language of a tenant */
  'PATCH /api/tenants/{id}': {
    path: { id: string }
    body: UpdateTenantRequest
    reply: UpdatedTenant
  }
  /** Deletes a tenant with all its data */
  'DELETE /api/tenants/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Shows how the hosted pages look for a tenant */
  'GET /api/tenants/{id}/branding': {
    path: { id: string }
    reply: Branding
  }
  /** Replaces how the hosted pages look for a tenant; a logo that is left out is kept */
  'PUT /api/tenants/{id}/branding': {
    path: { id: string }
    body: UpdateBrandingRequest
    reply: Branding
  }
  /** Removes the branding of a tenant; its hosted pages look like those of the application */
  'DELETE /api/tenants/{id}/branding': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the members of a tenant */
  'GET /api/tenants/{id}/members': {
    path: { id: string }
    query: { page?: number; limit?: number; status?: 'ACTIVE' | 'INVITED' | 'SUSPENDED'; role?: 'owner' | 'admin' | 'member'; sort?: 'joinedAt' | '-joinedAt'; search?: string }
    reply: MemberPage
  }
  /** Changes the role of a member, or suspends or reactivates the member */
  'PATCH /api/tenants/{id}/members/{membershipId}': {
    path: { id: string; membershipId: string }
    body: UpdateMemberRequest
    reply: UpdatedMember
  }
  /** Removes a member; every member may remove their own membership */
  'DELETE /api/tenants/{id}/members/{membershipId}': {
    path: { id: string; membershipId: string }
    reply: ActionResult
  }
  /** Lists the audit log of a tenant */
  'GET /api/tenants/{id}/audit': {
    path: { id: string }
    query: { page?: number; limit?: number; after?: string; action?: string; actorId?: string; userId?: string; clientId?: string; requestId?: string; ipAddress?: string; from?: string; to?: string; order?: 'asc' | 'desc' }
    reply: AuditPage
  }
  /** Exports the audit log of a tenant as a file; the export itself is recorded too */
  'GET /api/tenants/{id}/audit/export': {
    path: { id: string }
    query: { format: 'csv' | 'jsonl'; action?: string; actorId?: string; userId?: string; clientId?: string; requestId?: string; ipAddress?: string; from?: string; to?: string; order?: 'asc' | 'desc' }
    reply: string
  }
  /** Lists the tenants of the instance */
  'GET /api/admin/tenants': {
    query: { page?: number; limit?: number; search?: string; sort?: '-createdAt' | 'name' | 'slug'; suspended?: boolean; userId?: string; after?: string }
    reply: AdminTenantPage
  }
  /** Creates a tenant; its owner is an existing user, is invited, or is added later */
  'POST /api/admin/tenants': {
    body: CreateAdminTenantRequest
    reply: CreatedAdminTenant
  }
  /** Shows a tenant */
  'GET /api/admin/tenants/{id}': {
    path: { id: string }
    reply: AdminTenant
  }
  /** Changes a tenant, suspends it or ends its suspension */
  'PATCH /api/admin/tenants/{id}': {
    path: { id: string }
    body: UpdateAdminTenantRequest
    reply: AdminTenant
  }
  /** Deletes a tenant with all its data */
  'DELETE /api/admin/tenants/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the members of a tenant */
  'GET /api/admin/tenants/{id}/members': {
    path: { id: string }
    query: { page?: number; limit?: number; status?: 'ACTIVE' | 'INVITED' | 'SUSPENDED'; role?: 'owner' | 'admin' | 'member'; sort?: 'joinedAt' | '-joinedAt'; search?: string }
    reply: MemberPage
  }
  /** Adds a member without an invitation */
  'POST /api/admin/tenants/{id}/members': {
    path: { id: string }
    body: AddMemberRequest
    reply: UpdatedMember
  }
  /** Changes the role of a member, or suspends or reactivates the member */
  'PATCH /api/admin/tenants/{id}/members/{userId}': {
    path: { id: string; userId: string }
    body: UpdateMemberRequest
    reply: UpdatedMember
  }
  /** Removes a member */
  'DELETE /api/admin/tenants/{id}/members/{userId}': {
    path: { id: string; userId: string }
    reply: ActionResult
  }
  /** Lists the invitations of a tenant; X-Total-Count says how many there are on all pages */
  'GET /api/tenants/{id}/invitations': {
    path: { id: string }
    query: { status?: 'PENDING' | 'ACCEPTED' | 'REVOKED' | 'EXPIRED'; page?: number; limit?: number }
    reply: InvitationList
  }
  /** Invites somebody by mail */
  'POST /api/tenants/{id}/invitations': {
    path: { id: string }
    body: CreateInvitationRequest
    reply: CreatedInvitation
  }
  /** Invites many at once, with a result for each */
  'POST /api/tenants/{id}/invitations/bulk': {
    path: { id: string }
    body: BulkInviteRequest
    reply: BulkInviteResponse
  }
  /** Sends the mail of an invitation again; the link before is not good any more */
  'POST /api/tenants/{id}/invitations/{invitationId}/resend': {
    path: { id: string; invitationId: string }
    reply: ActionResult
  }
  /** Revokes an invitation */
  'DELETE /api/tenants/{id}/invitations/{invitationId}': {
    path: { id: string; invitationId: string }
    reply: ActionResult
  }
  /** Shows an open invitation to whoever has its link */
  'GET /api/invitations/{token}': {
    path: { token: string }
    reply: InvitationDetails
  }
  /** Accepts an invitation, signed in to the account it is for, or with a password for a new one */
  'POST /api/invitations/{token}/accept': {
    path: { token: string }
    body: AcceptInvitationRequest | undefined
    reply: AcceptedInvitation
  }
  /** Checks whether a user holds a license, and which */
  'GET /api/integration/licenses/check': {
    query: { userId?: string; applicationId: string; minRevision?: string }
    reply: LicenseCheck
  }
  /** The same, with the fields in the body or in the query string */
  'POST /api/integration/licenses/check': {
    query: { userId?: string; applicationId?: string; minRevision?: string }
    body: { userId?: string; applicationId?: string; minRevision?: string | number } | undefined
    reply: LicenseCheck
  }
  /** Checks whether the license of a user has a feature */
  'GET /api/integration/licenses/feature': {
    query: { userId?: string; applicationId: string; minRevision?: string; featureKey: string }
    reply: FeatureCheck
  }
  /** The same, with the fields in the body or in the query string */
  'POST /api/integration/licenses/feature': {
    query: { userId?: string; applicationId?: string; minRevision?: string; featureKey?: string }
    body: { userId?: string; applicationId?: string; minRevision?: string | number; featureKey?: string } | undefined
    reply: FeatureCheck
  }
  /** Returns the license type that a user holds */
  'GET /api/integration/licenses/type': {
    query: { userId?: string; applicationId: string; minRevision?: string }
    reply: LicenseTypeCheck
  }
  /** Explains why a user has or does not have a license or feature, and what would change it */
  'GET /api/integration/licenses/explain': {
    query: { userId?: string; applicationId: string; minRevision?: string; featureKey?: string }
    reply: LicenseExplanation
  }
  /** Lists the members of the tenant who hold a license for the application now */
  'GET /api/integration/licenses/apps/{applicationId}/users': {
    path: { applicationId: string }
    reply: LicensedUser[]
  }
  /** Counts the members of the tenant who hold a license for the application now */
  'GET /api/integration/licenses/apps/{applicationId}/count': {
    path: { applicationId: string }
    reply: LicenseCount
  }
  /** Gives somebody a seat */
  'POST /api/integration/licenses/grant': {
    body: GrantLicenseRequest
    reply: LicenseAssignment
  }
  /** Takes the seat of somebody back */
  'POST /api/integration/licenses/revoke': {
    body: RevokeLicenseRequest
    reply: ActionResult
  }
  /** Gives somebody who has a seat one of another type instead */
  'POST /api/integration/licenses/change': {
    body: GrantLicenseRequest
    reply: LicenseAssignment
  }
  /** Gives many people a seat, with a result for each */
  'POST /api/integration/licenses/grant/bulk': {
    body: BulkGrantRequest
    reply: BulkLicenseResponse
  }
  /** Takes the seats of many people back, with a result for each */
  'POST /api/integration/licenses/revoke/bulk': {
    body: BulkRevokeRequest
    reply: BulkLicenseResponse
  }
  /** Lists the license types of an application */
  'GET /api/licensing/license-types': {
    query: { applicationId: string }
    reply: LicenseType[]
  }
  /** Creates a license type */
  'POST /api/licensing/license-types': {
    body: CreateLicenseTypeRequest
    reply: LicenseType
  }
  /** Changes a license type; current holders get the changed features immediately */
  'PATCH /api/licensing/license-types/{id}': {
    path: { id: string }
    body: UpdateLicenseTypeRequest
    reply: LicenseType
  }
  /** Shows the purchased, assigned and available seats of a tenant */
  'GET /api/licensing/tenants/{tenantId}/license-overview': {
    path: { tenantId: string }
    reply: LicenseOverview
  }
  /** Lists the subscriptions of a tenant */
  'GET /api/licensing/tenants/{tenantId}/subscriptions': {
    path: { tenantId: string }
    reply: Subscription[]
  }
  /** Creates a subscription of a tenant to a license type */
  'POST /api/licensing/tenants/{tenantId}/subscriptions': {
    path: { tenantId: string }
    body: CreateSubscriptionRequest
    reply: Subscription
  }
  /** Changes the number of seats, the status or the end of a subscription */
  'PATCH /api/licensing/subscriptions/{id}': {
    path: { id: string }
    body: UpdateSubscriptionRequest
    reply: Subscription
  }
  /** Lists all changes of the seats and subscriptions of a tenant, in order */
  'GET /api/licensing/tenants/{tenantId}/ledger': {
    path: { tenantId: string }
    query: { after?: number; limit?: number; order?: 'asc' | 'desc' }
    reply: LicenseLedger
  }
  /** Lists the applications that a tenant may use, with its subscriptions to each */
  'GET /api/tenants/{id}/licenses': {
    path: { id: string }
    reply: TenantLicenses
  }
  /** Lists the members of a tenant, with the license that each holds */
  'GET /api/tenants/{id}/licenses/{applicationId}/seats': {
    path: { id: string; applicationId: string }
    query: { page?: number; limit?: number; search?: string; licensed?: boolean; licenseTypeId?: string; sort?: 'displayName' | '-displayName' }
    reply: SeatPage
  }
  /** Lists the purchased and assigned seats of a tenant, day by day */
  'GET /api/tenants/{id}/licenses/{applicationId}/usage': {
    path: { id: string; applicationId: string }
    query: { days?: number }
    reply: LicenseUsage
  }
  /** Lists events after a position, oldest first */
  'GET /api/events': {
    query: { after?: number; limit?: number; types?: string; tenantId?: string }
    reply: EventPage
  }
  /** Lists the webhooks */
  'GET /api/admin/webhooks': {
    reply: WebhookList
  }
  /** Creates a webhook, which gets events from now on; its secret is shown only once */
  'POST /api/admin/webhooks': {
    body: CreateWebhookRequest
    reply: CreatedWebhook
  }
  /** Lists the webhooks */
  'GET /api/tenants/{id}/webhooks': {
    path: { id: string }
    reply: WebhookList
  }
  /** Creates a webhook, which gets events from now on; its secret is shown only once */
  'POST /api/tenants/{id}/webhooks': {
    path: { id: string }
    body: CreateWebhookRequest
    reply: CreatedWebhook
  }
  /** Returns a webhook */
  'GET /api/admin/webhooks/{webhookId}': {
    path: { webhookId: string }
    reply: Webhook
  }
  /** Changes, disables or enables a webhook */
  'PATCH /api/admin/webhooks/{webhookId}': {
    path: { webhookId: string }
    body: UpdateWebhookRequest
    reply: Webhook
  }
  /** Deletes a webhook and its pending deliveries */
  'DELETE /api/admin/webhooks/{webhookId}': {
    path: { webhookId: string }
    reply: ActionResult
  }
  /** Returns a webhook */
  'GET /api/tenants/{id}/webhooks/{webhookId}': {
    path: { id: string; webhookId: string }
    reply: Webhook
  }
  /** Changes, disables or enables a webhook */
  'PATCH /api/tenants/{id}/webhooks/{webhookId}': {
    path: { id: string; webhookId: string }
    body: UpdateWebhookRequest
    reply: Webhook
  }
  /** Deletes a webhook and its pending deliveries */
  'DELETE /api/tenants/{id}/webhooks/{webhookId}': {
    path: { id: string; webhookId: string }
    reply: ActionResult
  }
  /** Rotates the secret of a webhook; it is shown only once, and the previous one signs as well for a day */
  'POST /api/admin/webhooks/{webhookId}/secret': {
    path: { webhookId: string }
    reply: RotatedWebhookSecret
  }
  /** Rotates the secret of a webhook; it is shown only once, and the previous one signs as well for a day */
  'POST /api/tenants/{id}/webhooks/{webhookId}/secret': {
    path: { id: string; webhookId: string }
    reply: RotatedWebhookSecret
  }
  /** Lists the deliveries of a webhook */
  'GET /api/admin/webhooks/{webhookId}/deliveries': {
    path: { webhookId: string }
    query: { status?: 'PENDING' | 'DELIVERED' | 'FAILED'; after?: number; limit?: number }
    reply: WebhookDeliveryPage
  }
  /** Lists the deliveries of a webhook */
  'GET /api/tenants/{id}/webhooks/{webhookId}/deliveries': {
    path: { id: string; webhookId: string }
    query: { status?: 'PENDING' | 'DELIVERED' | 'FAILED'; after?: number; limit?: number }
    reply: WebhookDeliveryPage
  }
  /** Replays an event with the same webhook-id */
  'POST /api/admin/webhooks/{webhookId}/deliveries/{deliveryId}/replay': {
    path: { webhookId: string; deliveryId: string }
    reply: WebhookReplay
  }
  /** Replays an event with the same webhook-id */
  'POST /api/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/replay': {
    path: { id: string; webhookId: string; deliveryId: string }
    reply: WebhookReplay
  }
  /** Replays the events after a position or of a period, at most 10,000 per request */
  'POST /api/admin/webhooks/{webhookId}/replay': {
    path: { webhookId: string }
    body: WebhookReplayRequest
    reply: WebhookReplay
  }
  /** Replays the events after a position or of a period, at most 10,000 per request */
  'POST /api/tenants/{id}/webhooks/{webhookId}/replay': {
    path: { id: string; webhookId: string }
    body: WebhookReplayRequest
    reply: WebhookReplay
  }
  /** Lists the applications */
  'GET /api/admin/applications': {
    query: { page?: number; limit?: number; search?: string; sort?: 'name' | '-name' | 'slug' | '-slug' | 'createdAt' | '-createdAt' }
    reply: { applications: Application[]; pagination: Pagination }
  }
  /** Creates an application */
  'POST /api/admin/applications': {
    body: { name: string; slug?: string; trusted?: boolean; emailCodes?: boolean; signingAlgorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'; licensingMode?: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'; accessTokenTtl?: number | null; idTokenTtl?: number | null; refreshTokenIdleTtl?: number | null; refreshTokenTtl?: number | null }
    reply: Application
  }
  /** Shows an application */
  'GET /api/admin/applications/{id}': {
    path: { id: string }
    reply: Application
  }
  /** Changes an application */
  'PATCH /api/admin/applications/{id}': {
    path: { id: string }
    body: { name?: string; slug?: string; trusted?: boolean; emailCodes?: boolean; signingAlgorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'; licensingMode?: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE'; accessTokenTtl?: number | null; idTokenTtl?: number | null; refreshTokenIdleTtl?: number | null; refreshTokenTtl?: number | null }
    reply: Application
  }
  /** Deletes an application, its clients and their tokens */
  'DELETE /api/admin/applications/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the clients */
  'GET /api/admin/clients': {
    query: { page?: number; limit?: number; search?: string; applicationId?: string; kind?: 'SPA' | 'WEB' | 'MACHINE'; tenantId?: string; disabled?: boolean; origin?: 'ADMIN' | 'DOCUMENT' | 'REGISTRATION'; sort?: 'name' | '-name' | 'clientId' | '-clientId' | 'createdAt' | '-createdAt' }
    reply: { clients: Client[]; pagination: Pagination }
  }
  /** Registers a client; its secret is shown only once */
  'POST /api/admin/clients': {
    body: { applicationId: string; kind: 'SPA' | 'WEB' | 'MACHINE'; name: string; clientId?: string; tenantId?: string | null; redirectUris?: string[]; postLogoutRedirectUris?: string[]; allowedOrigins?: string[]; scopes?: string[]; requireNonce?: boolean; userinfoInIdToken?: boolean; pkceMethods?: ('S256' | 'plain')[]; responseModes?: ('query' | 'form_post')[]; requirePushedRequests?: boolean; requireSignedRequests?: boolean; requireDpop?: boolean; deviceFlow?: boolean; tokenExchange?: boolean; tokenEndpointAuthMethod?: 'none' | 'client_secret' | 'private_key_jwt'; jwks?: { keys: Record<string, unknown>[] } | null; jwksUri?: string | null; securityProfile?: 'NONE' | 'FAPI2'; backchannelLogoutUri?: string | null; disabled?: boolean }
    reply: CreatedClient
  }
  /** Shows a client */
  'GET /api/admin/clients/{id}': {
    path: { id: string }
    reply: Client
  }
  /** Changes a client */
  'PATCH /api/admin/clients/{id}': {
    path: { id: string }
    body: { name?: string; redirectUris?: string[]; postLogoutRedirectUris?: string[]; allowedOrigins?: string[]; scopes?: string[]; requireNonce?: boolean; userinfoInIdToken?: boolean; pkceMethods?: ('S256' | 'plain')[]; responseModes?: ('query' | 'form_post')[]; requirePushedRequests?: boolean; requireSignedRequests?: boolean; requireDpop?: boolean; deviceFlow?: boolean; tokenExchange?: boolean; tokenEndpointAuthMethod?: 'none' | 'client_secret' | 'private_key_jwt'; jwks?: { keys: Record<string, unknown>[] } | null; jwksUri?: string | null; securityProfile?: 'NONE' | 'FAPI2'; backchannelLogoutUri?: string | null; disabled?: boolean }
    reply: Client
  }
  /** Deletes a client and its tokens */
  'DELETE /api/admin/clients/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Adds a secret to a client, so that the old one can be replaced */
  'POST /api/admin/clients/{id}/secrets': {
    path: { id: string }
    reply: { id: string; clientSecret: string; createdAt: string }
  }
  /** Revokes a secret of a client and the tokens that were issued with it */
  'DELETE /api/admin/clients/{id}/secrets/{secretId}': {
    path: { id: string; secretId: string }
    reply: ActionResult
  }
  /** Lists the resources: APIs for which clients request tokens */
  'GET /api/admin/resources': {
    query: { page?: number; limit?: number; search?: string; applicationId?: string; sort?: 'name' | '-name' | 'uri' | '-uri' | 'createdAt' | '-createdAt' }
    reply: { resources: Resource[]; pagination: Pagination }
  }
  /** Registers a resource of an application */
  'POST /api/admin/resources': {
    body: { applicationId: string; name: string; uri: string; scopes?: string[]; allowedClients?: string[]; allowDynamicClients?: boolean }
    reply: Resource
  }
  /** Shows a resource */
  'GET /api/admin/resources/{id}': {
    path: { id: string }
    reply: Resource
  }
  /** Changes the name, the scopes or the allowed clients of a resource */
  'PATCH /api/admin/resources/{id}': {
    path: { id: string }
    body: { name?: string; scopes?: string[]; allowedClients?: string[]; allowDynamicClients?: boolean }
    reply: Resource
  }
  /** Deletes a resource; the tokens for it end */
  'DELETE /api/admin/resources/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the tokens with which clients may register themselves, the newest first */
  'GET /api/admin/registration-tokens': {
    query: { page?: number; limit?: number }
    reply: { registrationTokens: RegistrationToken[]; clientRegistration: 'off' | 'token' | 'open'; pagination: Pagination }
  }
  /** Creates a token with which clients may register themselves; it is shown only once */
  'POST /api/admin/registration-tokens': {
    body: { name: string; expiresInDays?: number; maxUses?: number; redirectHosts?: string[] | null }
    reply: CreatedRegistrationToken
  }
  /** Revokes a registration token; the clients that registered with it stay */
  'DELETE /api/admin/registration-tokens/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the logout tokens for a client */
  'GET /api/admin/clients/{id}/logouts': {
    path: { id: string }
    query: { status?: 'PENDING' | 'DELIVERED' | 'FAILED'; after?: number; limit?: number }
    reply: LogoutDeliveryPage
  }
  /** Sends a logout token to a client again */
  'POST /api/admin/clients/{id}/logouts/{deliveryId}/replay': {
    path: { id: string; deliveryId: string }
    reply: ActionResult
  }
  /** Shows how the hosted pages look for an application */
  'GET /api/admin/applications/{id}/branding': {
    path: { id: string }
    reply: Branding
  }
  /** Replaces how the hosted pages look for an application; a logo that is left out is kept */
  'PUT /api/admin/applications/{id}/branding': {
    path: { id: string }
    body: UpdateBrandingRequest
    reply: Branding
  }
  /** Removes the branding of an application; its hosted pages get the default look */
  'DELETE /api/admin/applications/{id}/branding': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists the texts of all mails */
  'GET /api/admin/mail-templates': {
    reply: MailTemplateList
  }
  /** Shows the texts of a mail */
  'GET /api/admin/mail-templates/{kind}': {
    path: { kind: string }
    reply: MailTemplate
  }
  /** Replaces the texts of a mail; a text that is left out is the default */
  'PUT /api/admin/mail-templates/{kind}': {
    path: { kind: string }
    body: MailTemplateTexts
    reply: MailTemplate
  }
  /** Returns the texts of a mail to the default */
  'DELETE /api/admin/mail-templates/{kind}': {
    path: { kind: string }
    reply: ActionResult
  }
  /** Renders a mail with these texts and sample values; nothing is saved or sent */
  'POST /api/admin/mail-templates/{kind}/preview': {
    path: { kind: string }
    body: MailTemplateDraft
    reply: MailPreview
  }
  /** Sends a mail with these texts and sample values to the address of the caller */
  'POST /api/admin/mail-templates/{kind}/test': {
    path: { kind: string }
    body: MailTemplateDraft
    reply: ActionResult
  }
  /** Lists the texts of the mails of a tenant */
  'GET /api/tenants/{id}/mail-templates': {
    path: { id: string }
    reply: MailTemplateList
  }
  /** Shows the texts of a mail of a tenant */
  'GET /api/tenants/{id}/mail-templates/{kind}': {
    path: { id: string; kind: string }
    reply: MailTemplate
  }
  /** Replaces the texts of a mail of a tenant; a text that is left out is that of the instance */
  'PUT /api/tenants/{id}/mail-templates/{kind}': {
    path: { id: string; kind: string }
    body: MailTemplateTexts
    reply: MailTemplate
  }
  /** Returns the texts of a mail of a tenant to those of the instance */
  'DELETE /api/tenants/{id}/mail-templates/{kind}': {
    path: { id: string; kind: string }
    reply: ActionResult
  }
  /** Renders a mail of a tenant with these texts and sample values; nothing is saved or sent */
  'POST /api/tenants/{id}/mail-templates/{kind}/preview': {
    path: { id: string; kind: string }
    body: MailTemplateDraft
    reply: MailPreview
  }
  /** Sends a mail of a tenant with these texts and sample values to the address of the caller */
  'POST /api/tenants/{id}/mail-templates/{kind}/test': {
    path: { id: string; kind: string }
    body: MailTemplateDraft
    reply: ActionResult
  }
  /** Lists the keys that sign tokens, the newest first */
  'GET /api/admin/keys': {
    query: { page?: number; limit?: number }
    reply: { keys: SigningKey[]; pagination: Pagination }
  }
  /** Makes the next key of each algorithm in use; keys that wait for their turn, or were made just now, are answered with 200 */
  'POST /api/admin/keys/rotate': {
    body: RotateKeyRequest | undefined
    reply: RotatedSigningKeys
  }
  /** Searches the audit log */
  'GET /api/admin/audit': {
    query: { page?: number; limit?: number; after?: string; action?: string; actorId?: string; userId?: string; clientId?: string; requestId?: string; ipAddress?: string; from?: string; to?: string; order?: 'asc' | 'desc'; tenantId?: string }
    reply: AuditPage
  }
  /** Exports the audit log as a file; the export itself is recorded */
  'GET /api/admin/audit/export': {
    query: { format: 'csv' | 'jsonl'; action?: string; actorId?: string; userId?: string; clientId?: string; requestId?: string; ipAddress?: string; from?: string; to?: string; order?: 'asc' | 'desc'; tenantId?: string }
    reply: string
  }
  /** Lists and searches everybody who has an account */
  'GET /api/admin/users': {
    query: { page?: number; limit?: number; search?: string; sort?: 'createdAt' | '-createdAt' | 'email' | '-email'; after?: string; disabled?: boolean; emailVerified?: boolean; superAdmin?: boolean; deletionRequested?: boolean; tenantId?: string }
    reply: UserPage
  }
  /** Makes an account; without a password, a link to choose one is mailed */
  'POST /api/admin/users': {
    body: CreateUserRequest
    reply: UserDetails
  }
  /** Shows an account, its tenants and how many sessions it has */
  'GET /api/admin/users/{id}': {
    path: { id: string }
    reply: UserDetails
  }
  /** Changes, disables or enables an account */
  'PATCH /api/admin/users/{id}': {
    path: { id: string }
    body: UpdateUserRequest
    reply: UserDetails
  }
  /** Deletes an account: every session ends at once, and after 30 days nothing is left of it */
  'DELETE /api/admin/users/{id}': {
    path: { id: string }
    reply: ActionResult
  }
  /** Takes back an account that is about to be deleted */
  'POST /api/admin/users/{id}/restore': {
    path: { id: string }
    reply: UserDetails
  }
  /** Ends the password and every session, and mails a link to choose another */
  'POST /api/admin/users/{id}/password-reset': {
    path: { id: string }
    reply: ActionResult
  }
  /** Ends every session of somebody, and every token that came from them */
  'DELETE /api/admin/users/{id}/sessions': {
    path: { id: string }
    reply: EndedUserSessions
  }
  /** Removes authenticator app, recovery codes and passkeys of somebody, and ends every session */
  'DELETE /api/admin/users/{id}/mfa': {
    path: { id: string }
    reply: ActionResult
  }
  /** Lists which third-party applications somebody has allowed what */
  'GET /api/admin/users/{id}/consents': {
    path: { id: string }
    reply: ConsentList
  }
  /** Withdraws what somebody has allowed all applications; their tokens end */
  'DELETE /api/admin/users/{id}/consents': {
    path: { id: string }
    reply: WithdrawnConsents
  }
  /** Withdraws what somebody has allowed an application, in every tenant or in one; its tokens end */
  'DELETE /api/admin/users/{id}/consents/{applicationId}': {
    path: { id: string; applicationId: string }
    query: { tenantId?: string }
    reply: ActionResult
  }
  /** Shows the whole instance at a glance */
  'GET /api/admin/overview': {
    reply: InstanceOverview
  }
  /** The process runs */
  'GET /health/live': {
    reply: Health
  }
  /** Send traffic here: the database answers and no shutdown is under way */
  'GET /health/ready': {
    reply: Health
  }
  /** The mail the demo would have sent, newest first */
  'GET /dev/mailbox/messages': {
    query: { to?: string }
    reply: MailboxMessage[]
  }
}

/** Routes with a form-encoded body. All others take JSON. */
export const FORM_OPERATIONS: readonly (keyof Operations)[] = [
  'POST /api/oauth/token',
  'POST /api/oauth/par',
  'POST /api/oauth/device_authorization',
  'POST /api/oauth/userinfo',
  'POST /api/oauth/revoke',
  'POST /api/oauth/introspect',
]

/** Routes that accept an Idempotency-Key. */
export const IDEMPOTENT_OPERATIONS: readonly (keyof Operations)[] = [
  'POST /api/tenants',
  'POST /api/admin/tenants',
  'POST /api/tenants/{id}/invitations',
  'POST /api/tenants/{id}/invitations/bulk',
  'POST /api/integration/licenses/grant',
  'POST /api/integration/licenses/grant/bulk',
  'POST /api/integration/licenses/revoke/bulk',
  'POST /api/licensing/tenants/{tenantId}/subscriptions',
  'POST /api/admin/clients',
  'POST /api/admin/resources',
  'POST /api/admin/registration-tokens',
  'POST /api/admin/keys/rotate',
  'POST /api/admin/users',
]

/** The codes of error responses. A newer service may have more. */
export type ErrorCode =
  | 'ACCOUNT_SCHEDULED_FOR_DELETION'
  | 'ALREADY_LICENSED'
  | 'ALREADY_MEMBER'
  | 'APPLICATION_NOT_FOUND'
  | 'CLIENT_ID_TAKEN'
  | 'CLIENT_NOT_FOUND'
  | 'CONSENT_NOT_FOUND'
  | 'CURRENT_PASSWORD_INCORRECT'
  | 'DELIVERY_NOT_FOUND'
  | 'EMAIL_NOT_VERIFIED'
  | 'EMAIL_TAKEN'
  | 'FORBIDDEN'
  | 'HEADERS_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INCORRECT_CONFIRMATION'
  | 'INTERNAL_ERROR'
  | 'INVALID_APPLICATION_ID'
  | 'INVALID_CODE'
  | 'INVALID_CREDENTIALS'
  | 'INVALID_PASSKEY'
  | 'INVALID_REQUEST'
  | 'INVALID_TOKEN'
  | 'INVITATION_ALREADY_ACCEPTED'
  | 'INVITATION_EMAIL_MISMATCH'
  | 'INVITATION_EXISTS'
  | 'INVITATION_EXPIRED'
  | 'INVITATION_NOT_FOUND'
  | 'INVITATION_NOT_PENDING'
  | 'INVITATION_PENDING'
  | 'INVITATION_REVOKED'
  | 'LAST_LOGIN_METHOD'
  | 'LAST_OWNER'
  | 'LAST_SUPER_ADMIN'
  | 'LICENSE_NOT_FOUND'
  | 'LICENSE_TYPE_NOT_FOUND'
  | 'MAIL_TEMPLATE_NOT_FOUND'
  | 'MEMBER_NOT_ACTIVE'
  | 'MEMBER_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'MFA_ALREADY_ENROLLED'
  | 'MFA_NOT_ENROLLED'
  | 'MFA_REQUIRED'
  | 'NOT_FOUND'
  | 'NOT_SCHEDULED_FOR_DELETION'
  | 'NO_SEATS_AVAILABLE'
  | 'OWNER_REQUIRED'
  | 'OWN_ACCOUNT'
  | 'PASSKEY_NOT_FOUND'
  | 'PASSWORD_REQUIRED'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'REAUTHENTICATION_REQUIRED'
  | 'REGISTRATION_TOKEN_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'RESOURCE_NOT_FOUND'
  | 'RESOURCE_URI_TAKEN'
  | 'SAME_PASSWORD'
  | 'SEATS_IN_USE'
  | 'SECRET_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'SLUG_TAKEN'
  | 'SSO_ALREADY_LINKED'
  | 'SSO_LINK_NOT_FOUND'
  | 'SSO_PROVIDER_NOT_CONFIGURED'
  | 'SUBSCRIPTION_EXISTS'
  | 'SUBSCRIPTION_NOT_FOUND'
  | 'SUPPORT_ACCESS_OFF'
  | 'SUPPORT_ACCESS_REFUSED'
  | 'TENANT_NOT_FOUND'
  | 'TENANT_OWNER'
  | 'TENANT_SUSPENDED'
  | 'TOO_MANY_SECRETS'
  | 'TOO_MANY_WEBHOOKS'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'USER_NOT_FOUND'
  | 'VALIDATION_FAILED'
  | 'WEAK_PASSWORD'
  | 'WEBHOOK_NOT_FOUND'
