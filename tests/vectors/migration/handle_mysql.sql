-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `handles`;
CREATE TABLE `handles` (
  `handle` varchar(255) NOT NULL,
  `idx` int NOT NULL,
  `type` blob,
  `data` blob,
  `ttl_type` smallint DEFAULT NULL,
  `ttl` int DEFAULT NULL,
  `timestamp` int DEFAULT NULL,
  `refs` blob,
  `admin_read` tinyint(1) DEFAULT NULL,
  `admin_write` tinyint(1) DEFAULT NULL,
  `pub_read` tinyint(1) DEFAULT NULL,
  `pub_write` tinyint(1) DEFAULT NULL,
  PRIMARY KEY (`handle`,`idx`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `handles` WRITE;
INSERT INTO `handles` VALUES ('20.500.12345/A',1,_binary 'URL',_binary 'https://archive.example.org/o\'neill?a=\\b',0,86400,1556712000,_binary '',1,1,1,0),('20.500.12345/A',100,_binary 'HS_ADMIN',_binary '\0\0\0',0,86400,1556712001,'',1,1,1,0),('20.500.12345/B',1,_binary 'URL',0x68747470733A2F2F622E6578616D706C652F,0,3600,1556712002,'',1,1,1,0),('20.500.12345/A',7,_binary 'HS_SITE',_binary '\0ÿ\Z',0,86400,0,NULL,1,1,1,0);
UNLOCK TABLES;
CREATE TABLE `nas` (`na` varchar(255) NOT NULL, PRIMARY KEY (`na`));
INSERT INTO `nas` VALUES ('0.NA/20.500.12345');
-- Dump completed
