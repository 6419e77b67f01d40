package com.example.reports;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.server.ResponseStatusException;

/** Asks Latchkey which features the license of a user has. Used in @PreAuthorize as "licenses". */
@Component
public class Licenses {

  private final RestClient http;
  private final String applicationId;

  Licenses(
      RestClient.Builder builder,
      @Value("${latchkey.url}") String url,
      @Value("${latchkey.application-id}") String applicationId) {
    this.http = builder.baseUrl(url).build();
    this.applicationId = applicationId;
  }

  /** Checked with the user's own token, so Latchkey also notices that the session has ended. */
  public boolean hasFeature(Authentication authentication, String feature) {
    // A machine client is its own subject. It has no license.
    if (!(authentication instanceof JwtAuthenticationToken caller)
        || caller.getName().equals(caller.getToken().getClaimAsString("client_id"))) {
      return false;
    }
    try {
      FeatureCheck check = http.get()
          .uri("/api/integration/licenses/feature?applicationId={id}&featureKey={feature}", applicationId, feature)
          .headers(headers -> headers.setBearerAuth(caller.getToken().getTokenValue()))
          .retrieve()
          .body(FeatureCheck.class);
      return check != null && check.hasFeature();
    } catch (HttpClientErrorException.Unauthorized error) {
      throw new InvalidBearerTokenException("The access token is no longer valid.", error);
    } catch (HttpClientErrorException.Forbidden error) {
      return false;
    } catch (RestClientException error) {
      throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "The license cannot be checked now.", error);
    }
  }

  private record FeatureCheck(boolean hasFeature) {}
}
