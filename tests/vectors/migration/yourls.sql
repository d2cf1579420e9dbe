-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `yourls_log`;
CREATE TABLE `yourls_log` (`click_id` int(11) NOT NULL, `ip_address` varchar(41) NOT NULL);
INSERT INTO `yourls_log` VALUES (1,'203.0.113.9');
CREATE TABLE `yourls_options` (`option_id` bigint(20) NOT NULL, `option_name` varchar(64) NOT NULL);
INSERT INTO `yourls_options` VALUES (1,'next_id');
CREATE TABLE `yourls_url` (
  `keyword` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  `url` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `title` text CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,
  `timestamp` timestamp NOT NULL DEFAULT current_timestamp(),
  `ip` varchar(41) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL,
  `clicks` int(10) unsigned NOT NULL,
  PRIMARY KEY (`keyword`)
);
INSERT INTO `yourls_url` VALUES
('spring','https://archive.example.org/spring?a=1&b=\'2\'','Spring; \"catalogue\"','2024-05-01 12:00:00','203.0.113.9',17),
('a1','https://archive.example.org/a1','https://archive.example.org/a1','2024-05-02 12:00:00','2001:db8::9',0);
