package com.example.reports;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.DelegatingJwtGrantedAuthoritiesConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtGrantedAuthoritiesConverter;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
@EnableMethodSecurity
class SecurityConfiguration {

  @Bean
  SecurityFilterChain filterChain(HttpSecurity http) throws Exception {
    return http
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.jwtAuthenticationConverter(authenticationConverter())))
        // Safe without cookies: a browser never adds an access token by itself.
        .csrf(csrf -> csrf.disable())
        .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .build();
  }

  /**
   * Accepts the access tokens (RFC 9068) of one application. Their header says "typ: at+jwt", so that nobody can use an
   * ID token instead. The decoder that Spring Boot creates from the setting "issuer-uri" refuses this type.
   */
  @Bean
  JwtDecoder jwtDecoder(
      @Value("${latchkey.url}") String issuer, @Value("${latchkey.application-id}") String applicationId) {
    // The supplier runs at the first request, so the API can start before Latchkey.
    return new SupplierJwtDecoder(() -> {
      NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).build();
      decoder.setJwtValidator(JwtValidators.createAtJwtValidator().issuer(issuer).audience(applicationId).build());
      return decoder;
    });
  }

  /** ROLE_owner, TENANT_(id of the tenant) and SCOPE_profile, from the claims of the access token. */
  private static JwtAuthenticationConverter authenticationConverter() {
    JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
    converter.setJwtGrantedAuthoritiesConverter(new DelegatingJwtGrantedAuthoritiesConverter(
        authorities("ROLE_", "tenant_roles"), authorities("TENANT_", "tenant_id"), authorities("SCOPE_", "scope")));
    return converter;
  }

  private static JwtGrantedAuthoritiesConverter authorities(String prefix, String claim) {
    JwtGrantedAuthoritiesConverter converter = new JwtGrantedAuthoritiesConverter();
    converter.setAuthorityPrefix(prefix);
    converter.setAuthoritiesClaimName(claim);
    return converter;
  }
}
