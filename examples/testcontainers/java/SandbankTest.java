// JUnit 5 and org.testcontainers:testcontainers. It has the same shape as the tested example for Node, and is not tested here.

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

@Testcontainers
class SandbankTest {
  // One server for all tests. Each test has its own world.
  @Container
  static final GenericContainer<?> SANDBANK =
      new GenericContainer<>("sandbank")
          .withExposedPorts(4010)
          .withCommand("serve", "--frozen")
          .waitingFor(Wait.forHttp("/sandbox/ready").forPort(4010));

  @Test
  void aPayoutIsPaidWithinAMinute() throws Exception {
    var world = call("POST", "/sandbox/worlds", "{\"start\":\"2026-11-20T09:00:00-03:00\"}", null, null);
    var token = text(world, "\"token\":\"([^\"]+)");
    var account = text(world, "\"accounts\":\\[\"([^\"]+)");
    var body =
        """
        {"externalId":"payout-1","accountId":"%s","paymentMethod":"PIX","paymentData":{"pixKey":"ok@pix.example"},
         "amount":{"currency":"BRL","value":"10.00"},"description":"A first payout"}
        """
            .formatted(account);
    var payout = call("POST", "/order/v1/banking/order-payouts", body, token, "payout-1");
    call("POST", "/sandbox/clock/advance", "{\"by\":\"PT1M\"}", token, null);
    var id = text(payout, "\"id\":\"([^\"]+)");
    var paid = call("GET", "/sandbox/resources/payouts/" + id, null, token, null);
    assertEquals("PAID", text(paid, "\"status\":\"([^\"]+)"));
    call("DELETE", "/sandbox/worlds/" + text(world, "\"id\":\"([^\"]+)"), null, null, null);
  }

  static String call(String method, String path, String body, String token, String key) throws Exception {
    var url = "http://" + SANDBANK.getHost() + ":" + SANDBANK.getMappedPort(4010) + path;
    var request = HttpRequest.newBuilder(URI.create(url)).header("accept", "application/json");
    if (token != null) request.header("authorization", "Bearer " + token);
    if (key != null) request.header("idempotency-key", key);
    request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    var answer = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertTrue(answer.statusCode() < 400, answer.body());
    return answer.body();
  }

  static String text(String json, String pattern) {
    var found = Pattern.compile(pattern).matcher(json);
    assertTrue(found.find(), json);
    return found.group(1);
  }
}
