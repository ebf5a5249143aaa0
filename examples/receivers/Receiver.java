// A receiver of webhooks with the plain JDK (17 and later): java Receiver.java
// It appends each event to a file before it answers.
//
// HOST                         its address; default: 127.0.0.1. For a sandbox in a container: 0.0.0.0
// PORT                         its port; default: 4011
// SANDBANK_WEBHOOK_SECRET      the secret of the signatures
// SANDBANK_WEBHOOK_SECRET_OLD  the previous secret during a rotation; otherwise empty
// RECEIVER_FILE                the file of events; default: only in memory

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Receiver {
  /** The content of an event: the status of an object at a time. */
  record Fact(String id, String status, String at) {}

  record Known(Fact fact, String rank) {}

  static final int BODY_MAX_BYTES = 4_000_000;
  static final Set<String> OPEN =
      Set.of("INITIAL", "PENDING", "PENDING_AUTHORIZATION", "CREATED", "SCHEDULED", "ACCEPTED");

  private final List<String> secrets = new ArrayList<>();
  private final Set<String> handled = new HashSet<>();
  private final Map<String, Known> objects = new TreeMap<>();
  private final FileChannel file;

  Receiver(Map<String, String> environment) throws IOException {
    for (String name : List.of("SANDBANK_WEBHOOK_SECRET", "SANDBANK_WEBHOOK_SECRET_OLD")) {
      String secret = environment.getOrDefault(name, "");
      if (!secret.isEmpty()) secrets.add(secret);
    }
    String path = environment.get("RECEIVER_FILE");
    if (path != null && Files.exists(Path.of(path))) {
      for (String line : Files.readAllLines(Path.of(path))) apply(asObject(new Json(line).read()));
    }
    file =
        path == null
            ? null
            : FileChannel.open(Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it. */
  private boolean isSigned(byte[] body, String header) throws Exception {
    byte[] given = (header == null ? "" : header).getBytes(StandardCharsets.ISO_8859_1);
    boolean matches = false;
    for (String secret : secrets) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
      matches |= MessageDigest.isEqual(expected.getBytes(StandardCharsets.ISO_8859_1), given);
    }
    return matches;
  }

  /** A refund and a cancellation are separate objects, next to their order or subscription. */
  private static List<Fact> factsOf(Map<String, Object> event) {
    Map<String, Object> data = event.get("data") == null ? event : asObject(event.get("data"));
    Object at = event.getOrDefault("occurredAt", event.get("updatedAt"));
    List<Fact> facts = new ArrayList<>();
    if ("REFUND".equals(event.get("type"))) add(facts, event.get("refundId"), event.get("status"), at);
    else add(facts, data.get("id"), data.get("status"), data.getOrDefault("updatedAt", at));
    Map<String, Object> cancellation = asObject(data.get("cancellation"));
    add(facts, cancellation.get("id"), cancellation.get("status"), at);
    return facts;
  }

  private static void add(List<Fact> facts, Object id, Object status, Object at) {
    if (id instanceof String one && status instanceof String two && at instanceof String three)
      facts.add(new Fact(one, two, three));
  }

  /** Two deliveries with the same key are one event. */
  private static String keyOf(Map<String, Object> event) {
    return event.get("event") + " " + factsOf(event);
  }

  /** Stores the status of an event, unless a newer status is known. */
  private void apply(Map<String, Object> event) {
    handled.add(keyOf(event));
    for (Fact fact : factsOf(event)) {
      // If two events have the same time, the final status is the later one.
      String rank = fact.at() + (OPEN.contains(fact.status()) ? " 0 " : " 1 ") + event.get("event");
      objects.merge(
          fact.id(),
          new Known(fact, rank),
          (known, found) -> known.rank().compareTo(found.rank()) < 0 ? found : known);
    }
  }

  private synchronized int take(byte[] body, String signature) throws Exception {
    if (!isSigned(body, signature)) return 401;
    Object event;
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      event = new Json(text).read();
    } catch (CharacterCodingException | IllegalArgumentException unreadable) {
      return 400;
    }
    if (!(event instanceof Map)) return 400;
    if (handled.contains(keyOf(asObject(event)))) return 200;
    if (file != null) {
      file.write(ByteBuffer.wrap((Json.write(event) + "\n").getBytes(StandardCharsets.UTF_8)));
      file.force(false);
    }
    apply(asObject(event));
    return 200;
  }

  private synchronized String state() {
    Map<String, Object> known = new LinkedHashMap<>();
    objects.forEach((id, object) -> known.put(id, Map.of("status", object.fact().status(), "at", object.fact().at())));
    return Json.write(Map.of("objects", known));
  }

  private synchronized void reset() throws IOException {
    handled.clear();
    objects.clear();
    if (file != null) file.truncate(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String method = exchange.getRequestMethod();
      byte[] body = exchange.getRequestBody().readNBytes(BODY_MAX_BYTES + 1);
      int status = 404;
      String answer = "{}";
      if (method.equals("GET") && path.equals("/state")) {
        status = 200;
        answer = state();
      } else if (path.equals("/webhooks") || path.equals("/reset")) {
        if (!method.equals("POST")) status = 405;
        else if (body.length > BODY_MAX_BYTES) status = 413;
        else if (path.equals("/reset")) {
          reset();
          status = 200;
        } else {
          status = take(body, exchange.getRequestHeaders().getFirst("X-Signature-SHA256"));
          if (status == 200) answer = "{\"returnCode\":\"SUCCESS\"}";
        }
      }
      byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(status, method.equals("HEAD") ? -1 : bytes.length);
      if (!method.equals("HEAD")) exchange.getResponseBody().write(bytes);
    } catch (IOException gone) {
      // The sender has left: it sends the event again.
    } catch (Exception failure) {
      failure.printStackTrace();
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> asObject(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  public static void main(String[] args) throws IOException {
    Receiver receiver = new Receiver(System.getenv());
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4011"));
    String host = System.getenv().getOrDefault("HOST", "127.0.0.1");
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 128);
    server.createContext("/", receiver::answer);
    // A slow sender uses only one of these threads.
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("receiver listening on http://" + host + ":" + server.getAddress().getPort() + "/webhooks");
  }

  /** Reads and writes JSON. The JDK cannot do it; a project has a library for it. */
  static final class Json {
    private static final int DEPTH_MAX = 100;
    private final String text;
    private int at;
    private int depth;

    Json(String text) {
      this.text = text;
    }

    Object read() {
      Object value = value();
      blank();
      if (at < text.length()) throw wrong();
      return value;
    }

    private Object value() {
      blank();
      char first = peek();
      if (first == '{') return object();
      if (first == '[') return list();
      if (first == '"') return string();
      for (String word : List.of("true", "false", "null")) {
        if (!text.startsWith(word, at)) continue;
        at += word.length();
        return word.equals("null") ? null : (Object) word.equals("true");
      }
      int start = at;
      while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
      return new java.math.BigDecimal(text.substring(start, at));
    }

    private Object object() {
      Map<String, Object> object = new LinkedHashMap<>();
      for (boolean more = open('}'); more; more = next('}')) {
        blank();
        String name = string();
        blank();
        expect(':');
        object.put(name, value());
      }
      return object;
    }

    private Object list() {
      List<Object> list = new ArrayList<>();
      for (boolean more = open(']'); more; more = next(']')) list.add(value());
      return list;
    }

    private boolean open(char end) {
      if (++depth > DEPTH_MAX) throw wrong();
      at++;
      blank();
      if (peek() != end) return true;
      return close();
    }

    private boolean next(char end) {
      blank();
      if (peek() == end) return close();
      expect(',');
      return true;
    }

    private boolean close() {
      at++;
      depth--;
      return false;
    }

    private String string() {
      expect('"');
      StringBuilder string = new StringBuilder();
      while (peek() != '"') {
        char next = text.charAt(at++);
        if (next < ' ') throw wrong();
        string.append(next == '\\' ? escaped() : next);
      }
      at++;
      return string.toString();
    }

    private char escaped() {
      char letter = peek();
      at++;
      if (letter == 'u') {
        if (at + 4 > text.length()) throw wrong();
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      int known = "\"\\/bfnrt".indexOf(letter);
      if (known < 0) throw wrong();
      return "\"\\/\b\f\n\r\t".charAt(known);
    }

    private void blank() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
      if (at >= text.length()) throw wrong();
      return text.charAt(at);
    }

    private void expect(char wanted) {
      if (peek() != wanted) throw wrong();
      at++;
    }

    private IllegalArgumentException wrong() {
      return new IllegalArgumentException("no JSON at character " + at);
    }

    static String write(Object value) {
      if (value instanceof Map<?, ?> object) {
        List<String> fields = new ArrayList<>();
        object.forEach((name, field) -> fields.add(write(name) + ":" + write(field)));
        return "{" + String.join(",", fields) + "}";
      }
      if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(Json::write).toList()) + "]";
      if (!(value instanceof String string)) return String.valueOf(value);
      StringBuilder text = new StringBuilder("\"");
      for (char one : string.toCharArray()) {
        if (one == '"' || one == '\\') text.append('\\').append(one);
        else if (one < ' ' || one > '~') text.append(String.format("\\u%04x", (int) one));
        else text.append(one);
      }
      return text.append('"').toString();
    }
  }
}
